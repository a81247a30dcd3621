"""The version of this compiler, which its files carry."""

VERSION = "0.1.0"
