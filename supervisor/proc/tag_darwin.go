package proc

// tags is a Linux matter: here there are none.
type tags struct{}

func newTags(bool) tags { return tags{} }

func (*tags) on() bool                       { return false }
func (*tags) next(map[int]*execution) uint64 { return 0 }
func (*tags) set(uint64) (restore func())    { return func() {} }
func (*tags) family() uint64                 { return 0 }
func (*tags) related(int) bool               { return false }
