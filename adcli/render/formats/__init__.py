"""The formats of documents: each is one file of this folder."""
