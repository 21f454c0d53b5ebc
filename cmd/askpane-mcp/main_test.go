package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/tests/scripts"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askpane-mcp": main})
}

func TestScripts(t *testing.T) { scripts.Run(t, nil, nil) }
