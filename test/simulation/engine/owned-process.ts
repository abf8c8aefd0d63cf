import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { MessagePort } from 'node:worker_threads'

/** What a simulated process finds in the place of its machine's clock, timers, chance and network. */
export type Machine = {
  readonly nowMs: () => number
  /** Calls back so much later; answers how to take that back. */
  readonly later: (delayMs: number, callback: () => void) => () => void
  readonly fraction: () => number
  readonly fetch: typeof fetch
}

/** Whose machine all that runs now runs on: of simulated processes only one does anything at a time. */
let current: Machine | null = null

/** Nobody's: the simulator's own, and everybody's who runs in no simulated process. */
const real = {
  date: Date,
  now: Date.now,
  performanceNow: performance.now.bind(performance),
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  delay: timersPromises.setTimeout,
  random: Math.random,
  randomBytes: crypto.randomBytes,
  fetch: globalThis.fetch,
}

/** A timer of the machine. */
class OwnedTimer {
  private readonly end: () => void

  constructor(end: () => void) {
    this.end = end
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  clear(): void {
    this.end()
  }
}

/** Runs code on a machine, but not what it puts off. */
export function runOn<Result>(machine: Machine, code: () => Result): Result {
  const before = current
  current = machine
  try {
    return code()
  } finally {
    current = before
  }
}

/** Has all that happens from now on happen on a machine, or on nobody's. */
export function switchTo(machine: Machine | null): void {
  current = machine
}

/** What simulated processes have put off until Node has handled its events; kept by `ownImmediates` alone. */
const immediates = new Set<NodeJS.Immediate>()

/** Whether a message was sent to another thread since nobody waited for one; moved by `isLoading` and what it looks at. */
let mayLoad = false

let isInstalled = false

/**
 * Puts the machines in the place of what Node gives: `Date`, `performance.now`, `setTimeout`, its promise, chance,
 * random bytes and `fetch`. Who runs on no machine still gets Node's own.
 *
 * The product is not changed for it, and does not know: it is the process that is simulated.
 */
export function ownProcess(): void {
  if (isInstalled) return
  isInstalled = true
  Date.now = () => current?.nowMs() ?? real.now()
  globalThis.Date = new Proxy(real.date, {
    construct: (target, args) => {
      const machine = args.length === 0 ? current : null
      return machine === null ? Reflect.construct(target, args) : new target(machine.nowMs())
    },
  })
  performance.now = () => current?.nowMs() ?? real.performanceNow()
  Math.random = () => current?.fraction() ?? real.random()
  ownTimers()
  ownImmediates()
  ownBytes()
  watchLoader()
  globalThis.fetch = (...request) => (current?.fetch ?? real.fetch)(...request)
  syncBuiltinESMExports()
}

function ownTimers(): void {
  const setOwned = (callback: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
    const machine = current
    if (machine === null) return real.setTimeout(callback, delayMs, ...args)
    return new OwnedTimer(machine.later(delayMs, () => callback(...args)))
  }
  const clearOwned = (timer: unknown) => {
    if (timer instanceof OwnedTimer) timer.clear()
    else real.clearTimeout(timer as NodeJS.Timeout)
  }
  globalThis.setTimeout = Object.assign(setOwned, real.setTimeout) as unknown as typeof setTimeout
  globalThis.clearTimeout = clearOwned as typeof clearTimeout
  timersPromises.setTimeout = <Value>(delayMs?: number, value?: Value, options?: object) => {
    const machine = current
    if (machine === null) return real.delay(delayMs, value as Value, options)
    return new Promise<Value>((resolve) => machine.later(delayMs ?? 0, () => resolve(value as Value)))
  }
}

/** They are Node's own, and counted. */
function ownImmediates(): void {
  const setOwned = (callback: (...args: unknown[]) => void, ...args: unknown[]) => {
    if (current === null) return real.setImmediate(callback, ...args)
    const immediate = real.setImmediate(() => {
      immediates.delete(immediate)
      callback(...args)
    })
    immediates.add(immediate)
    return immediate
  }
  const clearOwned = (immediate: NodeJS.Immediate | undefined) => {
    if (immediate) immediates.delete(immediate)
    real.clearImmediate(immediate)
  }
  globalThis.setImmediate = setOwned as typeof setImmediate
  globalThis.clearImmediate = clearOwned
  timersPromises.setImmediate = <Value>(value?: Value) =>
    new Promise<Value>((resolve) => void setOwned(() => resolve(value as Value)))
}

function ownBytes(): void {
  const owned = (size: number, callback?: (error: Error | null, bytes: Buffer) => void) => {
    const machine = current
    if (machine === null) return callback ? real.randomBytes(size, callback) : real.randomBytes(size)
    const bytes = Buffer.from(Array.from({ length: size }, () => Math.floor(machine.fraction() * 256)))
    return callback ? callback(null, bytes) : bytes
  }
  crypto.randomBytes = owned as typeof crypto.randomBytes
}

function watchLoader(): void {
  const send = Reflect.get(MessagePort.prototype, 'postMessage') as Send
  const watched: Send = function (...message) {
    mayLoad = true
    send.apply(this, message)
  }
  Reflect.set(MessagePort.prototype, 'postMessage', watched)
}

type Send = (this: MessagePort, ...message: unknown[]) => void

/** Resolves when Node has done what it had to do, however many machines wait for something else. */
export function afterEvents(): Promise<void> {
  return new Promise((resolve) => void real.setImmediate(resolve))
}

/** Resolves so many milliseconds of the world later. */
export function pause(ms: number): Promise<void> {
  return real.delay(ms)
}

/** Whether a simulated process has put something off until Node has handled its events. */
export function hasImmediates(): boolean {
  return immediates.size > 0
}

/** Answers what the work comes to, or `null` if it takes more milliseconds of the world. */
export function within<Result>(work: Promise<Result>, limitMs: number): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const timer = real.setTimeout(() => resolve(null), limitMs)
    const end = () => real.clearTimeout(timer)
    work.then(resolve, reject).finally(end)
  })
}

/**
 * Whether Node itself is at work elsewhere: a module is being found, by a thread of the loader's. viem imports one
 * whenever a call reverts.
 */
export function isLoading(): boolean {
  // To ask takes longer than anything else here, and who has sent the loader nothing waits for nothing.
  mayLoad &&= process.getActiveResourcesInfo().includes('MessagePort')
  return mayLoad
}
