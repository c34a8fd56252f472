"""Tournaments: who plays whom, what it comes to, and how ties are broken. No input or output."""
