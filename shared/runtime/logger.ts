import { type DestinationStream, pino, stdTimeFunctions } from 'pino'

/** `msg` is a constant sentence. All variable values are fields, in snake_case. */
type LogEntry = { readonly msg: string; readonly [field: string]: unknown }

/** Writes lines of JSON. */
export type Logger = Readonly<
  Record<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', (entry: LogEntry) => void>
> & {
  /** Returns a logger that adds these fields to every line. */
  readonly child: (fields: Readonly<Record<string, unknown>>) => Logger
}

type Options = {
  readonly level: string
  /** Name of the process, part of every line: `api`, `indexer` or `keeper`. */
  readonly service: string
  /** Standard output by default. Tests pass their own stream. */
  readonly destination?: DestinationStream
}

/**
 * Creates the logger of a process.
 *
 * Secrets are removed, even within an error's text. Fields with secret names are replaced, API keys and webhook secrets
 * are shortened to their prefix, and URLs to scheme and host, because RPC URLs carry keys in the path, query or
 * credentials. A bigint becomes its decimal digits.
 *
 * Any string may contain text from third parties, so each string is truncated to 2,000 characters before the patterns
 * are applied, and the patterns take linear time. Before this limit existed, 40 kB of `a+a+a+` in a node's error
 * blocked the process for 27 s.
 */
export function createLogger({ level, service, destination }: Options): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      bindings: (fields: Record<string, unknown>) => cleanFields(fields, 0),
      log: (fields: Record<string, unknown>) => cleanFields(fields, 0),
    },
    hooks: { streamWrite: cutSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Maximum depth of logged values. The limit also ends cycles. */
const MAX_DEPTH = 6

/** Maximum characters of a string. */
const MAX_TEXT = 2_000

/** Characters kept from the end of a stack above `MAX_TEXT`, because the frames come after the message. */
const MAX_FRAMES = 1_500

/**
 * A text is truncated at its last space if the space is within this many characters of the limit, because the pattern
 * does not recognize half a URL.
 */
const MAX_WORD = 500

/**
 * Names of secret fields, in snake_case and camelCase: `authorization`, `webhookSecret`, `private_key`,
 * `secret_sealed`.
 */
const SECRET_NAME =
  /(authorization|cookie|password|passphrase|secret|private_?key|api_?key|sealed|raw_?transaction)$/i

function cleanFields(fields: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    SECRET_NAME.test(name) ? '[redacted]' : clean(value, depth + 1),
  ])
  return Object.fromEntries(entries)
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return cutText(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (depth > MAX_DEPTH) return '[deep]'
  if (value instanceof Error) return cleanFields(describeError(value), depth)
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  return cleanFields(value as Record<string, unknown>, depth)
}

/**
 * Logs only these properties of an error, because libraries attach whole requests to their errors, including headers.
 */
function describeError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const { code, details } = error as { code?: unknown; details?: unknown }
  return {
    name,
    message,
    stack: stack === undefined || stack.length <= MAX_TEXT ? stack : cutStack(stack),
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...(cause !== undefined && { cause }),
  }
}

function cutText(text: string): string {
  if (text.length <= MAX_TEXT) return text
  const space = text.lastIndexOf(' ', MAX_TEXT)
  const cut = text.slice(0, space > MAX_TEXT - MAX_WORD ? space : MAX_TEXT)
  const kept = cutLastUrl(cut)
  return `${kept}… (${text.length - kept.length} characters omitted)`
}

/**
 * Removes everything after the `://` of a URL that was truncated. If the truncation removed the URL's `@`, its
 * credentials would look like the host.
 */
function cutLastUrl(text: string): string {
  const wordStart = Math.max(...WORD_ENDS.map((end) => text.lastIndexOf(end)))
  const at = text.indexOf('://', wordStart)
  return at === -1 ? text : text.slice(0, at + '://'.length)
}

/** The characters that end a URL (`cutSecrets`). */
const WORD_ENDS = [' ', '\t', '\r', '\n', '"', "'", '\\', '<', '>']

/** Returns the end of a stack, from a whole word on, because the patterns do not recognize half a secret. */
function cutStack(stack: string): string {
  const end = stack.slice(-MAX_FRAMES)
  const start = end.search(/\s/)
  return start === -1 ? '' : end.slice(start)
}

/**
 * Removes secrets from a finished line. Quotes and backslashes end a match, so that the JSON stays valid.
 *
 * The URL pattern starts with `://`. A pattern that starts with the scheme would take quadratic time, because it would
 * match to the end of the line from each word boundary.
 */
function cutSecrets(line: string): string {
  return line
    .replace(/:\/\/(?:[^\s"'\\<>/?#@]*@)?([^\s"'\\<>/?#@,;)]+)[^\s"'\\<>,;)]*/g, '://$1')
    .replace(/\b(svc_(?:live|test)_|whsec_)[A-Za-z0-9+/=]+/g, '$1[redacted]')
}
