"""A language model behind an address with OpenAI's protocol, by OpenAI's client.

The server is not trusted: one deadline and one limit of bytes bound an answer, and its counts of tokens are checked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from searchsocket.errors import ConfigError, ConfigMissing, KeyMissing
from searchsocket.extensions.answers.settings import AnswersSettings
from searchsocket.models.calling.provider import ProviderFailure, Refusal, host_of, refusal_of
from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.serving.hosts import is_loopback
from searchsocket.system.json_text import JsonObject

if TYPE_CHECKING:
    import openai

INSTALL_HINT = "install it with `pip install searchsocket[openai]`"
Message = Mapping[str, str]  # `role` and `content`
# US dollars per million tokens of input and output: OpenAI's list prices (platform.openai.com/docs/pricing) of 2025-11.
PRICES_USD: Mapping[str, tuple[float, float]] = {
    "gpt-4.1": (2.0, 8.0),
    "gpt-4.1-mini": (0.4, 1.6),
    "gpt-4.1-nano": (0.1, 0.4),
    "gpt-4o": (2.5, 10.0),
    "gpt-4o-mini": (0.15, 0.6),
    "gpt-5": (1.25, 10.0),
    "gpt-5-mini": (0.25, 2.0),
    "gpt-5-nano": (0.05, 0.4),
}
_OPENAI_HOST = "api.openai.com"
_MAYBE_UNKNOWN_FIELD = (400, 422)
_CHARS_PER_TOKEN = 8  # most characters of an answer for each token that it may have
_BYTES_PER_TOKEN = 1_000  # of a stream: an event with one token and its frame
_OTHER_BYTES = 200_000
_MAX_REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens."""

    input_usd: float
    output_usd: float

    def cost_usd(self, usage: Usage) -> float:
        """Return the cost of an answer."""
        return (usage.prompt * self.input_usd + usage.completion * self.output_usd) / 1_000_000


class Reply(Protocol):
    """A stream of text."""

    def __iter__(self) -> Iterator[str]:
        """Yield the text as it arrives.

        Raises:
            ProviderFailure: The stream ended early, or is not one of the protocol.
        """

    @property
    def usage(self) -> Usage:
        """Tokens so far."""

    @property
    def finish(self) -> str:
        """The server's reason for the end; `stop` is a complete answer, "" is none yet."""


class Model(Protocol):
    """Writes texts."""

    name: str

    def reply(self, messages: Sequence[Message]) -> Reply:
        """Return the reply to messages; it is requested when it is read."""


def is_local(base_url: str) -> bool:
    """Return True if an address is one of this machine."""
    return is_loopback(urlsplit(base_url).hostname or "")


def prices_of(settings: AnswersSettings) -> Prices:
    """Return the prices of the configured model; 0 for one on this machine.

    Raises:
        ConfigError: They are neither known nor configured, so no budget could be checked.
    """
    given = (settings.input_usd_per_million_tokens, settings.output_usd_per_million_tokens)
    if is_local(settings.base_url):
        table: tuple[float, float] | None = (0.0, 0.0)
    else:
        table = PRICES_USD.get(re.sub(r"-\d{4}-\d{2}-\d{2}$", "", settings.model))
    if table is None and None in given:
        raise ConfigError(
            f"the price of the model {settings.model!r} is unknown; set answers.input_usd_per_million_tokens and "
            "answers.output_usd_per_million_tokens (0 for a server of your own)"
        )
    known = table or (0.0, 0.0)
    return Prices(*(price if own is None else own for own, price in zip(given, known, strict=True)))


def make_model(settings: AnswersSettings, environ: Mapping[str, str]) -> Model:
    """Create the client of the configured model; calls nothing.

    Raises:
        ConfigMissing: The library, or the key, is missing.
        ConfigError: The address or the key cannot be used.
    """
    key = environ.get(settings.api_key_env, "").strip() if settings.api_key_env else ""
    if settings.api_key_env and not key:
        raise KeyMissing(
            f"answers need the key of {host_of(settings.base_url, 'answers')} in ${settings.api_key_env}",
            f"set ${settings.api_key_env}",
        )
    if not (key.isascii() and key.isprintable()):
        raise ConfigError("the key of answers contains invalid characters; set it again")
    return OpenAIModel(settings, key)


class OpenAIModel:
    """A model of OpenAI, or of a server with its protocol; safe to share between threads."""

    def __init__(self, settings: AnswersSettings, key: str) -> None:
        try:
            import httpx2
            import openai

            from searchsocket.models.embedders.openai_client import OpenAITransport
        except ImportError as error:
            raise ConfigMissing(f"answers need {error.name}; {INSTALL_HINT}") from error
        self.name = settings.model
        self._host = host_of(settings.base_url, "answers")
        self._key = key
        self._timeout_s = settings.timeout_s
        self._key_fix = (
            f"set a key that may use the model in ${settings.api_key_env or 'the variable of answers.api_key_env'}"
        )
        self._max_tokens = settings.max_output_tokens
        http = httpx2.Client(transport=OpenAITransport(settings.timeout_s), timeout=settings.timeout_s)
        self._client = openai.OpenAI(
            api_key=key or "none",
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=0,
            http_client=http,
        )
        limit = "max_completion_tokens" if self._host == _OPENAI_HOST else "max_tokens"
        limits: JsonObject = {limit: self._max_tokens}
        # Servers refuse fields that they do not know: the next form has fewer.
        self._form = 0  # that the server took
        self._forms: list[JsonObject] = [
            {**limits, "stream_options": {"include_usage": True}, "temperature": 0},
            limits,
            {},
        ]

    def reply(self, messages: Sequence[Message]) -> "OpenAIReply":
        """Return the reply to messages, see `Model.reply`."""
        return OpenAIReply(self, messages, self._max_tokens)

    def open(self, messages: Sequence[Message]) -> "openai.Stream[Any]":
        """Request a stream, with fewer options if the server refuses them.

        Raises:
            ProviderFailure: The request failed.
        """
        import openai

        from searchsocket.system.bounded_http import at_most

        create: Any = self._client.chat.completions.create  # its types know no other servers
        for level in range(self._form, len(self._forms)):
            try:
                with at_most(_BYTES_PER_TOKEN * self._max_tokens + _OTHER_BYTES):
                    stream: openai.Stream[Any] = create(
                        model=self.name, messages=list(messages), stream=True, **self._forms[level]
                    )
            except openai.APIStatusError as error:
                if error.status_code in _MAYBE_UNKNOWN_FIELD and level + 1 < len(self._forms):
                    continue
                failure = self.failure(error)
            except Exception as error:  # noqa: BLE001  (the client raises anything for an answer that is none)
                failure = self.failure(error)
            else:
                self._form = level
                return stream
            break
        # Raised outside the handler, so that the traceback does not contain the provider's message with the key.
        raise failure

    def failure(self, error: Exception) -> ProviderFailure:
        """Return the failure that an error of the client means."""
        import httpx2
        import openai

        from searchsocket.system.bounded_http import failure_reason

        if isinstance(error, openai.APIStatusError):
            with suppress(Exception):
                error.response.read()
            content = b""
            with suppress(Exception):
                content = error.response.content
            code = str(error.code or "")
            return ProviderFailure(
                refusal_of(
                    self._host, error.status_code, content, error.response.headers, self._key,
                    code=code, key_fix=self._key_fix, fix="fix answers.model or answers.base_url",
                )
            )  # fmt: skip
        if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
            problem = f"{self._host} did not finish within {self._timeout_s:g} seconds (answers.timeout_s)"
        elif isinstance(error, openai.APIConnectionError | httpx2.TransportError):
            problem = f"{self._host} cannot be reached ({failure_reason(error.__cause__ or error)})"
        else:
            problem = f"{self._host} sent an invalid stream ({type(error).__name__})"
        return ProviderFailure(Refusal(problem, is_transient=True))


class OpenAIReply:
    """One reply, read once."""

    def __init__(self, model: OpenAIModel, messages: Sequence[Message], max_tokens: int) -> None:
        self._model = model
        self._messages = messages
        self._max_tokens = max_tokens
        self._max_chars = _CHARS_PER_TOKEN * max_tokens
        self._chars = 0
        self._stated: object = None
        self._is_open = False
        self.finish = ""

    def __iter__(self) -> Iterator[str]:
        stream = self._model.open(self._messages)
        self._is_open = True
        failure = None
        with closing(stream):
            try:
                for chunk in stream:
                    text = self._read(chunk)
                    self._chars += len(text)
                    if self._chars > self._max_chars:
                        self.finish = "length"
                        return
                    if text:
                        yield text
            except Exception as error:  # noqa: BLE001  (the client raises anything for a stream that is none)
                failure = self._model.failure(error)
        if failure:
            raise failure

    @property
    def usage(self) -> Usage:
        """As the server counts, if that is possible; else estimated."""
        if not self._is_open:
            return Usage(0, 0)
        sent = "".join(message["content"] for message in self._messages)
        prompt, completion = estimate_tokens(sent), -(-self._chars // 4)
        stated_prompt = getattr(self._stated, "prompt_tokens", None)
        stated_completion = getattr(self._stated, "completion_tokens", None)
        if type(stated_prompt) is int and len(sent) / 20 <= stated_prompt <= 4 * len(sent):
            prompt = stated_prompt
        # The hidden tokens of a model that reasons count too, up to the limit of the request.
        if type(stated_completion) is int and self._chars / 20 <= stated_completion <= max(
            self._max_tokens, 4 * self._chars
        ):
            completion = stated_completion
        return Usage(prompt, completion)

    def _read(self, chunk: Any) -> str:
        """Return the text of a chunk, and note the rest; a call of a tool is no text."""
        self._stated = getattr(chunk, "usage", None) or self._stated
        text = ""
        for choice in (chunk.choices or [])[:1]:
            if choice.finish_reason:
                self.finish = str(choice.finish_reason)[:_MAX_REASON_CHARS]
            delta = choice.delta
            if getattr(delta, "refusal", None):
                self.finish = "refusal"
            if isinstance(getattr(delta, "content", None), str):
                text = delta.content
        return text
