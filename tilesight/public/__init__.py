"""Public interface of the package: the names that `import tilesight` offers to programs (docs/library.md).

Everything else in the packages may change with any version.
"""
