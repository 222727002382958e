"""The language of a source file by its name, and by the first line of a script."""

import pytest

from searchsocket.extensions.code.parsing.file_kinds import language_of, language_of_file

NAMES = {
    "Dockerfile": "dockerfile", "Dockerfile.dev": "dockerfile", "api.Dockerfile": "dockerfile",
    "Containerfile.prod": "dockerfile", "Makefile.am": "make", "justfile": "just", "Procfile": "ini",
    "BUILD.bazel": "python", "WORKSPACE": "python", "rules.bzl": "python", "analysis.ipynb": "python",
    "kernel.cu": "cpp", "kernel.cuh": "cpp", "shader.metal": "cpp", "Token.sol": "solidity", "schema.prisma": "prisma",
    "api.proto": "protobuf", "schema.graphql": "graphql", "init.sql": "sql", "main.tf": "terraform",
    "page.html.erb": "erb", "page.ejs": "ejs", "page.hbs": "handlebars", "page.twig": "twig", "page.html.j2": "jinja",
    "page.pug": "pug", "page.blade.php": "blade", "page.php": "php", "global.d.ts": "typescript", "flake.nix": "nix",
    "app.vala": "vala", "main.d": "d", "main.cr": "crystal", "main.adb": "ada", "solve.f90": "fortran",
    "main.pas": "pascal", "init.el": "elisp", "main.rkt": "racket", "main.scm": "scheme", "main.lisp": "lisp",
    "run.tcl": "tcl", "cpu.v": "verilog", "cpu.sv": "systemverilog", "cpu.vhdl": "vhdl", "boot.S": "assembly",
    "a.glsl": "glsl", "a.hlsl": "hlsl", "a.wgsl": "wgsl", "run.bat": "batch", "run.cmd": "batch", "init.vim": "vim",
    ".vimrc": "vim", "config.fish": "fish", "env.nu": "nushell", "sum.awk": "awk", "meson.build": "meson",
    "Vagrantfile": "ruby", "Brewfile": "ruby", "Podfile": "ruby", "a.dtd": "xml", "a.rnc": "xml", "a.wsdl": "xml",
    "a.thrift": "thrift", "a.avsc": "json", "a.capnp": "capnp", "a.fbs": "flatbuffers", "main.bicep": "bicep",
    "policy.rego": "rego", "a.cue": "cue", "a.dhall": "dhall", "a.jsonnet": "jsonnet", "App.csproj": "xml",
    "config.h.in": "c", "settings.py.example": "python", "go.mod": "go-module", "LICENSE": "text",
    ".editorconfig": "ini",
    "data.csv": "", "de.po": "", "app.log": "", "unknown": "", ".": "", ".hidden": "", "a.": "", "ts": "",
}  # fmt: skip


@pytest.mark.parametrize(("name", "language"), NAMES.items())
def test_the_language_of_a_name(name: str, language: str) -> None:
    assert language_of(name) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/bin/bash", "bash"), ("#!/bin/sh -e", "bash"), ("#! /usr/bin/env python3", "python"),
        ("#!/usr/bin/env python3.11", "python"), ("#!/usr/local/bin/python2", "python"),
        ("#!/usr/bin/env -S deno run --allow-net", "typescript"), ("#!/usr/bin/env -S A=b node", "javascript"),
        ("#!/usr/bin/perl -w", "perl"), ("#!/usr/bin/env Rscript", "r"), ("#!/usr/bin/make -f", "make"),
        ("#!/opt/nothing", ""), ("#!", ""), ("# !/bin/sh", ""), ("", ""), ("\x7fELF", ""),
    ],
)  # fmt: skip
def test_a_script_without_an_extension_has_the_language_of_its_interpreter(line: str, language: str) -> None:
    assert language_of_file("deploy", f"{line}\nmore".encode()) == language


def test_the_first_line_counts_before_a_name_but_not_before_an_extension() -> None:
    """`install` is a script more often than a text; `run.py` is Python with any first line."""
    assert language_of_file("install", b"#!/bin/sh\n") == "bash"
    assert language_of_file("install", b"How to install\n") == "text"
    assert language_of_file("run.py", b"#!/bin/sh\n") == "python"
