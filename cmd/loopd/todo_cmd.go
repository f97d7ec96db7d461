package main

import "errors"

// errTodo stands in for the commands that are not written yet.
var errTodo = errors.New("this command is not there yet")
