"""Movement of elements between nested layouts: target element x comes from source element f(x)."""
