import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { MessagePort } from 'node:worker_threads'

/** Clock, timers, random numbers and network of a simulated process. */
export type Machine = {
  readonly nowMs: () => number
  /** Calls back after the delay. Returns a function that cancels the call. */
  readonly later: (delayMs: number, callback: () => void) => () => void
  readonly fraction: () => number
  readonly fetch: typeof fetch
}

/** The machine of the running code; `null` outside of simulated processes, of which only one runs at a time. */
let current: Machine | null = null

/** Node's functions, for the simulator itself and all code outside of simulated processes. */
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
  randomUUID: crypto.randomUUID,
  fetch: globalThis.fetch,
  timeout: AbortSignal.timeout.bind(AbortSignal),
}

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

/** Runs code on a machine, but not its asynchronous continuations. */
export function runOn<Result>(machine: Machine, code: () => Result): Result {
  const before = current
  current = machine
  try {
    return code()
  } finally {
    current = before
  }
}

/** Runs all later code on a machine, or with `null` on Node's own functions. */
export function switchTo(machine: Machine | null): void {
  current = machine
}

/** Whether the code that runs now belongs to a simulated process. */
export function isOnMachine(): boolean {
  return current !== null
}

/** Pending immediates of simulated processes. Only `ownImmediates` changes them. */
const immediates = new Set<NodeJS.Immediate>()

/** Whether a message was sent to another thread after `isLoading` last returned false. */
let mayLoad = false

let isInstalled = false

/**
 * Replaces Node's `Date`, `performance.now`, `setTimeout` (also the one in `node:timers/promises`),
 * `AbortSignal.timeout`, `Math.random`, `crypto.randomBytes`, `crypto.randomUUID` and `fetch` with functions of the
 * current machine. Code that runs on no machine still uses Node's own functions.
 *
 * The product's code is not changed for the simulation; only the process in which it runs is simulated.
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
  ownTimeouts()
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

function ownTimeouts(): void {
  AbortSignal.timeout = (delayMs) => {
    const machine = current
    if (machine === null) return real.timeout(delayMs)
    const control = new AbortController()
    machine.later(delayMs, () => control.abort(new DOMException('The operation timed out', 'TimeoutError')))
    return control.signal
  }
}

/** Records the pending immediates of simulated processes, which Node itself still runs. */
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
  crypto.randomUUID = (options) => {
    if (current === null) return real.randomUUID(options)
    const [a, b, c, d, e] = [4, 2, 2, 2, 6].map((size) => owned(size)?.toString('hex') ?? '')
    return `${a}-${b}-4${c?.slice(1)}-a${d?.slice(1)}-${e}`
  }
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

/** Resolves when Node has handled its pending events. */
export function afterEvents(): Promise<void> {
  return new Promise((resolve) => void real.setImmediate(resolve))
}

export function pause(ms: number): Promise<void> {
  return real.delay(ms)
}

export function hasImmediates(): boolean {
  return immediates.size > 0
}

/** Returns the result of the work, or `null` if it takes longer than the limit in real time. */
export function within<Result>(work: Promise<Result>, limitMs: number): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const timer = real.setTimeout(() => resolve(null), limitMs)
    const end = () => real.clearTimeout(timer)
    work.then(resolve, reject).finally(end)
  })
}

/** Whether Node's loader thread is resolving a module. viem imports a module whenever a call reverts. */
export function isLoading(): boolean {
  // Checked only after a message to another thread, because this check takes longer than anything else here.
  mayLoad &&= process.getActiveResourcesInfo().includes('MessagePort')
  return mayLoad
}
