package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"loopd/supervisor/proc"
)

const programName = "loopd"

// surroundings is all that a command may know of the world it was started in. Tests make their own.
type surroundings struct {
	Env    []string // NAME=value
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Host runs the processes of a guarded command; nil where there is no guard.
	Host *proc.Host
}

// app is what a command's Run gets: where it works, what was said on the command line, and where to print.
type app struct {
	surroundings
	globals
	Print *printer
	// Cwd is the absolute folder that relative names on the command line start from: -C, else the current one.
	Cwd string
	// Root is the absolute folder whose .loop holds the loops.
	Root string

	parsed     *kong.Context
	runGrammar *runCmd // holds the settings in force, for commands that run a loop another way
	argv       []string
	person     *person // at the terminal, once somebody was asked
}

// run parses argv, runs the command and returns the exit code.
func run(argv []string, world surroundings) int {
	grammar := &cli{}
	early := newPrinter(world, globals{NoColor: lookup(world.Env, "NO_COLOR") != ""})
	parser, ended, err := newParser(grammar, world)
	if err != nil {
		return early.fail(err)
	}
	parsed, err := parser.Parse(argv)
	if *ended {
		return codeOK // kong printed the help
	}
	if err != nil {
		return early.fail(err)
	}
	a, err := newApp(grammar, parsed, argv, world)
	if err != nil {
		return early.fail(err)
	}
	if err := parsed.Run(a); err != nil {
		return a.Print.fail(err)
	}
	return codeOK
}

// newParser builds kong's parser. ended becomes true where kong answered by itself (--help): it must not end the process
// of a test.
func newParser(grammar *cli, world surroundings) (*kong.Kong, *bool, error) {
	ended := new(bool)
	parser, err := kong.New(grammar,
		kong.Name(programName),
		kong.Description(description),
		kong.Writers(world.Stdout, world.Stderr),
		kong.Exit(func(int) { *ended = true }),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.PostBuild(addExamples),
		kong.Resolvers(environ{world.Env}),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("build command line: %w", err)
	}
	return parser, ended, nil
}

func newApp(grammar *cli, parsed *kong.Context, argv []string, world surroundings) (*app, error) {
	a := &app{surroundings: world, globals: grammar.globals, parsed: parsed, runGrammar: &grammar.Run, argv: argv}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find current folder: %w", err)
	}
	a.Cwd = cwd
	if a.Dir != "" {
		a.Cwd = a.abs(a.Dir)
		if err := isFolder(a.Cwd); err != nil {
			return nil, &exitError{Code: codeUsage, What: "cannot work in -C " + a.Dir, Why: err}
		}
	}
	a.Root, err = a.findRoot()
	if err != nil {
		return nil, err
	}
	// git and the lease know folders by their resolved names.
	if a.Root, err = filepath.EvalSymlinks(a.Root); err != nil {
		return nil, &exitError{Code: codeUsage, What: "cannot find the folder of the loops", Why: err}
	}
	a.Print = newPrinter(world, a.globals)
	return a, nil
}

// abs makes a name of the command line absolute.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Cwd, path)
}

// show gives a path as a person would type it from the folder that they are in.
func (a *app) show(path string) string {
	rel, err := filepath.Rel(a.Cwd, path)
	if err != nil || strings.HasPrefix(rel, ".."+string(filepath.Separator)+"..") {
		return path
	}
	return rel
}

// findRoot finds the folder whose .loop holds the loops: the one that was named, else the nearest one upwards that has
// .loop or is a repository, else the current one.
func (a *app) findRoot() (string, error) {
	if a.LoopRoot != "" {
		root := a.abs(a.LoopRoot)
		if filepath.Base(root) == loopFolder {
			root = filepath.Dir(root)
		}
		if err := isFolder(root); err != nil {
			return "", &exitError{Code: codeUsage, What: "cannot use --loop-root " + a.LoopRoot, Why: err}
		}
		return root, nil
	}
	for dir := a.Cwd; ; dir = filepath.Dir(dir) {
		if isFolder(filepath.Join(dir, loopFolder)) == nil {
			return dir, nil
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return a.Cwd, nil
		}
	}
}

// loopFolder holds the loops of a repository.
const loopFolder = ".loop"

func isFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a folder")
	}
	return nil
}
