"""A chat model by name: the embedded one, or any hosted one. The only room that knows a model vendor."""
