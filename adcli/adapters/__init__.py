"""Expressions in other libraries: SymPy, JAX and PyTorch; each is loaded when it is first used."""
