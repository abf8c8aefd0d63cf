import { type Message, nameOf, type Request, renamed } from './wire.ts'

/** A prepared statement, with the name that it has in every session of the server. */
type Statement = {
  readonly name: string
  readonly parse: Message
  /**
   * The server's description of the statement, which is the same in every copy of the template database; `null` until
   * the server has sent it.
   */
  description: readonly Message[] | null
}

/** The statements of one server, by their text and parameter types. */
export type Statements = Map<string, Statement>

/**
 * The bytes that are sent instead of a request, and the function that converts the server's response to a response to
 * the request.
 */
export type Translated = {
  readonly bytes: Buffer
  readonly toAnswer: (messages: readonly Message[]) => readonly Message[]
}

/** The properties of a session that affect the translation. */
type Asked = {
  readonly prepared: Set<string>
  /** Whether the session's transaction has failed, so that the server responds to every statement with an error. */
  readonly hasFailed: () => boolean
}

const AS_IT_IS = (messages: readonly Message[]) => messages

/**
 * Creates a translator from one connection's statement names to names that are unique on the server. Each statement is
 * described once per server and prepared once per session, regardless of the connection that uses it.
 */
export function createTranslator(statements: Statements) {
  const byClientName = new Map<string, Statement>()

  return {
    /** Returns the recorded description of a statement; `null` without one, or if the transaction has failed. */
    describe: (request: Request, { hasFailed }: Asked): readonly Message[] | null => {
      const statement = remember(request)
      return hasFailed() ? null : (statement?.description ?? null)
    },
    translate: (request: Request, session: Asked): Translated => {
      const asked = remember(request)
      const bound = request.messages.find(({ type }) => type === 'B')
      const statement = asked ?? (bound && byClientName.get(nameOf(bound)))
      if (statement === undefined) return { bytes: request.bytes, toAnswer: AS_IT_IS }
      const isPrepared = session.prepared.has(statement.name)
      // After a failure, the server still prepares and executes a rollback.
      if (statement.description === null || (session.hasFailed() && !isPrepared))
        return introduce(request, { statement, session })
      if (session.hasFailed() && bound === undefined)
        return { bytes: bytesOf(request.messages, statement), toAnswer: AS_IT_IS }
      return execute(request, { statement, session, isAsked: asked !== undefined })
    },
  }

  /** Returns the statement that the request prepares, and records the client's name for it. */
  function remember({ messages }: Request): Statement | undefined {
    const parse = messages.find(({ type }) => type === 'P')
    const clientName = parse && nameOf(parse)
    if (parse === undefined || clientName === undefined || clientName === '') return undefined
    const key = parse.bytes.toString('latin1', 5 + clientName.length + 1)
    const known = statements.get(key)
    const name = known?.name ?? `s${statements.size}`
    const statement = known ?? { name, parse: renamed(parse, name), description: null }
    statements.set(key, statement)
    byClientName.set(clientName, statement)
    return statement
  }
}

type Introduced = { readonly statement: Statement; readonly session: Asked }

/** Translates the first request of a statement, and keeps the server's description from the response. */
function introduce({ messages }: Request, { statement, session }: Introduced): Translated {
  return {
    bytes: bytesOf(messages, statement),
    toAnswer: (answer) => {
      const description = answer.filter(({ type }) => DESCRIPTION.has(type))
      if (answer.some(({ type }) => type === '1')) session.prepared.add(statement.name)
      if (description.length === WHOLE) statement.description = description
      return answer
    },
  }
}

/**
 * Translates a later request of a statement: prepares the statement if the session has not prepared it yet, and adds
 * the recorded description to the response if the client requested it.
 */
function execute(
  { messages }: Request,
  { statement, session, isAsked }: Introduced & { readonly isAsked: boolean },
): Translated {
  const isPrepared = session.prepared.has(statement.name)
  const execution = messages.filter(({ type }) => type !== 'P' && type !== 'D')
  return {
    bytes: bytesOf(isPrepared ? execution : [statement.parse, ...execution], statement),
    toAnswer: (answer) => {
      if (answer.some(({ type }) => type === '1')) session.prepared.add(statement.name)
      const rest = isPrepared ? answer : answer.filter(({ type }) => type !== '1')
      return isAsked ? [...(statement.description ?? []), ...rest] : rest
    },
  }
}

/**
 * Message types of a description: ParseComplete, ParameterDescription, and RowDescription or, for a statement without
 * rows, NoData.
 */
const DESCRIPTION: ReadonlySet<string> = new Set(['1', 't', 'T', 'n'])
const WHOLE = 3

function bytesOf(messages: readonly Message[], { name }: Statement): Buffer {
  return Buffer.concat(messages.map((message) => renamed(message, name).bytes))
}
