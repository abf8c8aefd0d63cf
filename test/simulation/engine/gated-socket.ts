import { hash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Random } from '../../support/seeded-random.ts'
import { runOn, within } from './owned-process.ts'
import type { Scheduler, SimulatedProcess } from './scheduler.ts'
import type { Session } from './session.ts'
import type { SessionPool } from './session-pool.ts'
import { createTranslator, type Statements } from './statements.ts'
import { createRequestReader, type Message, type Request } from './wire.ts'

export type SocketTerms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  readonly sessions: SessionPool
  readonly statements: Statements
  /** Draws the milliseconds that a statement or its response takes to arrive. */
  readonly latency: Random
  readonly faults: { readonly lost: number; readonly late: number; readonly crash: number }
  readonly crash: () => Promise<void>
  readonly locks: LockWatch
}

/** Monitors the sessions that wait for a lock. */
export type LockWatch = {
  /** Returns whether a backend runs, waits for a lock, or is part of a deadlock. */
  readonly lookAt: (pid: number) => Promise<'runs' | 'waits' | 'deadlock'>
  readonly cancel: (pid: number) => Promise<void>
  /** Stops a backend that waits for a lock, so that it does not continue as soon as it gets the lock. */
  readonly stop: (pid: number) => void
  readonly resume: (pid: number) => void
  /** Terminates a backend. Resolves when it has ended. */
  readonly terminate: (pid: number) => Promise<void>
  readonly waiting: Set<BlockedStatement>
}

type BlockedStatement = { readonly look: () => Promise<boolean> }

/**
 * Real time before the first check of whether a statement without a response waits for a lock. It doubles after each
 * check.
 */
const LOOK_MS = 20

/**
 * A database connection with the interface of the driver's sockets. The scheduler lets one statement through at a time.
 *
 * Every statement of the product passes through this class, including `begin` and `commit`. A statement waits until the
 * scheduler releases it, is executed by the real PostgreSQL at that simulated time, and its response waits for the
 * scheduler too. The connection can be lost before or after the execution, and the process can die at the same points.
 */
export class GatedSocket extends EventEmitter {
  readyState = 'open'
  private readonly terms: SocketTerms
  private session: Session | null = null
  private readonly translator: ReturnType<typeof createTranslator>
  private readonly read = createRequestReader()
  private readonly requests: Request[] = []
  private isBusy = false

  constructor(terms: SocketTerms) {
    super()
    this.terms = terms
    this.translator = createTranslator(terms.statements)
    terms.process.onDeath(() => this.endSession())
  }

  setKeepAlive(): this {
    return this
  }

  write(chunk: Buffer, callback?: () => void): boolean {
    if (this.readyState === 'open') this.requests.push(...this.read(chunk))
    this.next()
    callback?.()
    return true
  }

  end(chunk?: Buffer): this {
    if (chunk) this.write(chunk)
    return this
  }

  destroy(): this {
    void this.terms.scheduler.real(this.close(false))
    return this
  }

  private next(): void {
    const request = this.isBusy ? undefined : this.requests.shift()
    if (request === undefined) return
    this.isBusy = true
    if (request.kind === 'statement') this.gate(request)
    else if (request.kind === 'end') void this.terms.scheduler.real(this.close(false))
    else this.pass(request)
  }

  /**
   * Passes on a request that changes no data. The request meets no faults, but waits for the scheduler, so that it does
   * not race with another event.
   */
  private pass(request: Request): void {
    const { scheduler, process } = this.terms
    const isStartup = request.kind === 'startup'
    const run = async () => {
      if (this.readyState !== 'open') return
      this.deliver(await (isStartup ? this.begin(request) : this.describe(request)))
    }
    scheduler.later({ delayMs: 0, process, label: request.kind, run })
  }

  private async begin({ bytes }: Request): Promise<readonly Message[]> {
    const { session, greeting } = await this.terms.sessions.begin(bytes)
    this.session = session
    return greeting
  }

  private async describe(request: Request): Promise<readonly Message[]> {
    const session = this.begun()
    const known = this.translator.describe(request, session)
    if (known !== null) return known
    const { bytes, toAnswer } = this.translator.translate(request, session)
    return toAnswer(await session.ask(bytes, 'T'))
  }

  /** Returns the session, which exists because the driver sends no request before the server's greeting. */
  private begun(): Session {
    if (this.session === null) throw new Error('a request was sent before the session started')
    return this.session
  }

  private gate(request: Request): void {
    const { scheduler, process } = this.terms
    const { text, digest } = wordsOf(request)
    const place = `${process.name} ${text}`
    this.plan(`asks ${text} ${digest}`, async () => {
      if (scheduler.meets('crash before', place, this.terms.faults.crash)) return this.terms.crash()
      if (scheduler.meets('lost before', place, this.terms.faults.lost)) return this.close(true)
      await this.execute(request, place)
    })
  }

  private async execute(request: Request, place: string): Promise<void> {
    const { scheduler, locks } = this.terms
    const session = this.begun()
    const { bytes, toAnswer } = this.translator.translate(request, session)
    const answered = session.askAt(scheduler.now(), bytes).then(toAnswer).then(asDeadlock)
    const isAnswered = async () => {
      for (let waitMs = LOOK_MS; ; waitMs *= 2) {
        const answer = await within(answered, waitMs)
        if (answer !== null) {
          this.answer(answer, place)
          return true
        }
        const seen = await locks.lookAt(session.pid())
        if (seen === 'waits') return false
        if (seen === 'deadlock') await locks.cancel(session.pid())
      }
    }
    if (await isAnswered()) return lookAgain(locks)
    scheduler.note('waits for a lock')
    locks.stop(session.pid())
    locks.waiting.add({
      look: async () => {
        if ((await locks.lookAt(session.pid())) !== 'runs') return false
        locks.resume(session.pid())
        if (await isAnswered()) return true
        locks.stop(session.pid())
        return false
      },
    })
  }

  private answer(messages: readonly Message[], place: string): void {
    const { scheduler, process, faults } = this.terms
    if (process.isDead() || this.readyState !== 'open') return
    scheduler.note(`answer ${digestOf(messages)}`)
    const isLate = scheduler.meets('late', place, faults.late)
    this.plan(
      'is answered',
      async () => {
        if (scheduler.meets('crash after', place, faults.crash)) return this.terms.crash()
        if (scheduler.meets('lost after', place, faults.lost)) return this.close(true)
        this.deliver(messages)
      },
      isLate ? 1_000 + this.terms.latency.integer(7_000) : 0,
    )
  }

  private plan(label: string, run: () => Promise<void>, moreMs = 0): void {
    const { scheduler, process, latency } = this.terms
    // The session of a closed connection might already serve another connection.
    const runIfOpen = () => (this.readyState === 'open' ? run() : undefined)
    scheduler.later({ delayMs: moreMs + latency.integer(4), process, label, run: runIfOpen })
  }

  private deliver(messages: readonly Message[]): void {
    this.isBusy = false
    if (this.readyState === 'open') this.emit('data', Buffer.concat(messages.map(({ bytes }) => bytes)))
    this.next()
  }

  private async endSession(): Promise<void> {
    if (this.readyState === 'closed') return
    this.readyState = 'closed'
    const { session, terms } = this
    if (session === null) return
    if (session.isAsked()) {
      session.destroy()
      await terms.locks.terminate(session.pid())
    } else await terms.sessions.giveBack(session)
    await lookAgain(terms.locks)
  }

  private async close(isLost: boolean): Promise<void> {
    const wasOpen = this.readyState === 'open'
    await this.endSession()
    if (!wasOpen || this.terms.process.isDead()) return
    runOn(this.terms.process.machine, () => {
      if (isLost) this.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
      this.emit('close', isLost)
    })
  }
}

/**
 * Checks again which statements still wait for a lock, until none has continued, because a statement that continues can
 * release the lock of another. They continue one by one, in the order in which they started to wait; the server itself
 * would let several continue at the same time.
 */
async function lookAgain(locks: LockWatch): Promise<void> {
  for (let isMoved = true; isMoved; ) {
    isMoved = false
    for (const blocked of [...locks.waiting]) {
      locks.waiting.delete(blocked)
      if (await blocked.look()) isMoved = true
      else locks.waiting.add(blocked)
    }
  }
}

/**
 * Reports the cancellation of a statement as a deadlock, because the simulator cancels a statement only for that
 * reason. The server's own detection is disabled, because real time would determine which backend it cancels.
 */
function asDeadlock(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.type === 'E' && codeOf(message.bytes) === `C${CANCELED}` ? withCode(message, DEADLOCK) : message,
  )
}

/** SQLSTATE codes. */
const CANCELED = '57014'
const DEADLOCK = '40P01'

function withCode({ type, bytes }: Message, code: string): Message {
  return {
    type,
    bytes: Buffer.from(bytes.toString('latin1').replace(`\0C${CANCELED}`, `\0C${code}`), 'latin1'),
  }
}

function wordsOf({ text, bytes }: Request): { readonly text: string; readonly digest: string } {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  return { text: words.slice(0, 100), digest: hash('sha256', bytes).slice(0, 8) }
}

/** Matches binary values of at least 50 bytes. These are sealed secrets, whose bytes differ in every run. */
const BYTES = /\\x[0-9a-f]{100,}/g

/** Hashes the parts of a response that are the same in every run: rows, command tags and error codes. */
function digestOf(messages: readonly Message[]): string {
  const told = messages.map(({ type, bytes }) => {
    if (type === 'D' || type === 'C') return bytes.toString('latin1')
    return type === 'E' ? codeOf(bytes) : ''
  })
  return hash('sha256', told.join('').replaceAll(BYTES, '')).slice(0, 8)
}

function codeOf(error: Buffer): string {
  const fields = error.toString('latin1').split('\0')
  return fields.find((field) => field.startsWith('C')) ?? ''
}
