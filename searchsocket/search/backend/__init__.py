"""Asking a store on another machine: for so long, not while it is away, and never believing an empty one."""
