"""Evaluates the stable part of the prompt before the first question needs it."""

from text2sql.agents.node_context import NodeContext, Resources
from text2sql.agents.prompt_builder import schema_fits, system_message
from text2sql.types import RunOptions


async def warm_up(resources: Resources) -> None:
    ctx = NodeContext(resources, RunOptions(), lambda _: None)
    schema_context = await resources.catalog_cache.schema_context(values=False)
    if schema_context.catalog.tables and await schema_fits(schema_context.catalog, ctx):
        await ctx.model.warm([await system_message(ctx, schema_context)])
