"""Recognition of tokens (animal tiles): presence, pose and animal."""

from vision.tokens.templates import TokenFaces
from vision.tokens.token_reader import TokenReader

__all__ = ["TokenFaces", "TokenReader"]
