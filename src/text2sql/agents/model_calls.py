"""Reports model calls to LangChain's callbacks, so that LangGraph's `messages` stream has the tokens of every
model, the embedded one included.

The prompt is not reported: it may contain values of the database, and a tracer sends what it gets elsewhere.
LangChain reports the prompts of hosted models itself (`llm/hosted.py` keeps their tokens out of the stream,
which has them from here).
"""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, LLMResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_async_callback_manager_for_config

from text2sql.llm import AsyncChatModel
from text2sql.types import Reply


async def reported_reply(work: Awaitable[Reply], model: AsyncChatModel, config: RunnableConfig) -> Reply:
    call = await _start(model, config)
    try:
        reply = await work
    except BaseException as error:
        await call.on_llm_error(error)
        raise
    await _finish(call, reply)
    return reply


async def reported_stream(
    pieces: AsyncGenerator[str | Reply, None], model: AsyncChatModel, config: RunnableConfig
) -> AsyncGenerator[str | Reply, None]:
    reply: Reply | None = None
    call = await _start(model, config)
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, Reply):
                    reply = piece
                    break
                chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece, id=str(call.run_id)))
                await call.on_llm_new_token(piece, chunk=chunk)
                yield piece
    except BaseException as error:
        await call.on_llm_error(error)
        raise
    if reply is not None:
        await _finish(call, reply)
        yield reply


async def _start(model: AsyncChatModel, config: RunnableConfig) -> AsyncCallbackManagerForLLMRun:
    callbacks = get_async_callback_manager_for_config(config)
    (call,) = await callbacks.on_chat_model_start({"name": model.name}, [[]])
    return call


async def _finish(call: AsyncCallbackManagerForLLMRun, reply: Reply) -> None:
    """The message has the id of its chunks, so a reader of the stream does not get it twice."""
    message = AIMessage(reply.text, id=str(call.run_id))
    await call.on_llm_end(LLMResult(generations=[[ChatGeneration(message=message)]]))
