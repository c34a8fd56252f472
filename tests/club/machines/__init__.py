"""A club on many machines, each a namespace of this one."""
