"""HTTP interface of one table: routes, bodies, shapes of answers, events, and the phone camera's socket."""
