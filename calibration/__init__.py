"""What is learned once in a home: printed editions, a camera's lens, the pieces' colours."""
