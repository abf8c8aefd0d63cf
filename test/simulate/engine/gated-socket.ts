import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { Random } from '../../support/seeded-random.ts'
import { runOn, within } from './owned-process.ts'
import type { Scheduler, SimulatedProcess } from './scheduler.ts'
import { openSession, type Session } from './session.ts'
import { createRequestReader, type Message, queryMessage, type Request } from './wire.ts'

/** What the sockets of one process work with. */
export type SocketTerms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  readonly port: number
  /** Milliseconds that a statement, or its answer, is on its way. */
  readonly latency: Random
  readonly faults: { readonly lost: number; readonly late: number; readonly crash: number }
  /** Kills the process. */
  readonly crash: () => Promise<void>
  readonly locks: LockWatch
}

/** What knows of the sessions that wait for a lock. */
export type LockWatch = {
  /** Whether a backend waits for another one's lock. */
  readonly isBlocked: (pid: number) => Promise<boolean>
  /** Ends a backend, and resolves when it is gone. */
  readonly terminate: (pid: number) => Promise<void>
  readonly waiting: Set<BlockedStatement>
}

type BlockedStatement = { readonly look: () => Promise<boolean> }

const UNTIMED = 'set statement_timeout = 0; set idle_in_transaction_session_timeout = 0'

/** After so long without an answer it is asked whether the statement waits for a lock; that is no time of the simulation. */
const LOOK_MS = 20

/**
 * A database connection as the driver knows sockets, of which the scheduler lets one statement at a time through.
 *
 * The bytes are the driver's own: whatever the product asks, it asks through here, `begin` and `commit` alike. A
 * statement waits until it is let go, is executed by the real PostgreSQL at that moment of the simulated clock, and its
 * answer waits again. The connection may be lost before it is executed or after, and the process may die in between.
 */
export class GatedSocket extends EventEmitter {
  readyState = 'open'
  private readonly terms: SocketTerms
  private readonly session: Session
  private readonly read = createRequestReader()
  private readonly requests: Request[] = []
  private isBusy = false

  constructor(terms: SocketTerms) {
    super()
    this.terms = terms
    this.session = openSession(terms.port)
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

  /** One after the other, as they were sent. */
  private next(): void {
    const request = this.isBusy ? undefined : this.requests.shift()
    if (request === undefined) return
    this.isBusy = true
    if (request.kind === 'statement') this.gate(request)
    else if (request.kind === 'end') void this.terms.scheduler.real(this.close(false))
    else this.pass(request, request.kind === 'startup' ? 'Z' : 'T')
  }

  /** What changes nothing meets no fault, and yet must not race with another. */
  private pass({ bytes, kind }: Request, end: 'Z' | 'T'): void {
    const { scheduler, process } = this.terms
    const run = async () => {
      const answer = await this.session.ask(bytes, end)
      // Those are times of the world.
      if (kind === 'startup') await this.session.ask(queryMessage(UNTIMED), 'Z')
      this.deliver(answer)
    }
    scheduler.later({ delayMs: 0, process, label: kind, run })
  }

  private gate(request: Request): void {
    const { scheduler, process } = this.terms
    const { text, digest: bytes } = describe(request)
    const place = `${process.name} ${text}`
    this.plan(`asks ${text} ${bytes}`, async () => {
      if (scheduler.meets('crash before', place, this.terms.faults.crash)) return this.terms.crash()
      if (scheduler.meets('lost before', place, this.terms.faults.lost)) return this.close(true)
      await this.execute(request, place)
    })
  }

  private async execute(request: Request, place: string): Promise<void> {
    const { scheduler } = this.terms
    const answered = this.session.askAt(scheduler.now(), request.bytes)
    const isAnswered = async () => {
      for (let waitMs = LOOK_MS; ; waitMs *= 2) {
        const answer = await within(answered, waitMs)
        if (answer !== null) {
          this.answer(answer, place)
          return true
        }
        if (await this.terms.locks.isBlocked(this.session.pid())) return false
      }
    }
    if (!(await isAnswered())) {
      scheduler.note('waits for a lock')
      const blocked: BlockedStatement = { look: isAnswered }
      this.terms.locks.waiting.add(blocked)
      return
    }
    await lookAgain(this.terms.locks)
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
    scheduler.later({ delayMs: moreMs + latency.integer(4), process, label, run })
  }

  private deliver(messages: readonly Message[]): void {
    this.isBusy = false
    if (this.readyState === 'open') this.emit('data', Buffer.concat(messages.map(({ bytes }) => bytes)))
    this.next()
  }

  private async endSession(): Promise<void> {
    if (this.readyState === 'closed') return
    this.readyState = 'closed'
    const pid = this.session.pid()
    this.session.destroy()
    if (pid > 0) await this.terms.locks.terminate(pid)
    await lookAgain(this.terms.locks)
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

/** Those that waited for a lock may have it now; one that has may have given another one's free. */
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

function describe({ text, bytes }: Request): { readonly text: string; readonly digest: string } {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  return { text: words.slice(0, 100), digest: createHash('sha256').update(bytes).digest('hex').slice(0, 8) }
}

/** Text of many hex digits: a sealed secret, which is sealed otherwise in every run. */
const BYTES = /\\x[0-9a-f]{100,}/g

/** Rows, what was done, and errors; nothing of the server's own. */
function digestOf(messages: readonly Message[]): string {
  const hash = createHash('sha256')
  for (const { type, bytes } of messages) {
    if (type === 'D' || type === 'C') hash.update(bytes.toString('latin1').replaceAll(BYTES, ''))
    if (type === 'E')
      hash.update(
        bytes
          .toString('latin1')
          .split('\0')
          .find((field) => field.startsWith('C')) ?? '',
      )
  }
  return hash.digest('hex').slice(0, 8)
}
