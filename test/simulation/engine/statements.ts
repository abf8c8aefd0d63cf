import { type Message, nameOf, type Request, renamed } from './wire.ts'

/** A statement as the server knows it, by a name of ours: in each of its sessions the same one. */
type Statement = {
  readonly name: string
  readonly parse: Message
  /** What the server says that it looks like, the same in each database of the template; `null` until it was asked. */
  description: readonly Message[] | null
}

/** The statements of one server, by their text and the types of what they are asked with. */
export type Statements = Map<string, Statement>

/** What is sent in the place of a request, and how its answer becomes that of the request. */
export type Translated = {
  readonly bytes: Buffer
  readonly toAnswer: (messages: readonly Message[]) => readonly Message[]
}

/** A session, as far as it matters here. */
type Asked = {
  /** The names of the statements that it has. */
  readonly prepared: Set<string>
  /** Whether its transaction has failed: whatever it is asked, it answers only that. */
  readonly hasFailed: () => boolean
}

const AS_IT_IS = (messages: readonly Message[]) => messages

/**
 * Makes the translation of one connection's names into the server's: what a statement looks like is asked once of the
 * server, and it is prepared once in a session, whoever asks for it.
 */
export function createTranslator(statements: Statements) {
  const byClientName = new Map<string, Statement>()

  return {
    /** What a statement looks like, if that is known, and would be said. */
    describe: (request: Request, { hasFailed }: Asked): readonly Message[] | null => {
      const statement = remember(request)
      return hasFailed() ? null : (statement?.description ?? null)
    },
    /** What is asked of the session in the place of the request. */
    translate: (request: Request, session: Asked): Translated => {
      const asked = remember(request)
      const bound = request.messages.find(({ type }) => type === 'B')
      const statement = asked ?? (bound && byClientName.get(nameOf(bound)))
      if (statement === undefined) return { bytes: request.bytes, toAnswer: AS_IT_IS }
      if (session.hasFailed()) return { bytes: bytesOf(request.messages, statement), toAnswer: AS_IT_IS }
      if (statement.description === null) return introduce(request, { statement, session })
      return execute(request, { statement, session, isAsked: asked !== undefined })
    },
  }

  /** The statement that the request prepares by a name of the client's. */
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

/** One that nobody has asked for yet: what the server says of it is kept. */
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

/** A known one is prepared where it was not yet, and said to look as it does to who wants to know. */
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

/** That it is understood, what it is asked with, and what its rows look like, if it has any. */
const DESCRIPTION: ReadonlySet<string> = new Set(['1', 't', 'T', 'n'])
const WHOLE = 3

function bytesOf(messages: readonly Message[], { name }: Statement): Buffer {
  return Buffer.concat(messages.map((message) => renamed(message, name).bytes))
}
