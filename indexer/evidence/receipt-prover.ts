import { Worker } from 'node:worker_threads'
import { type PacerOf, UNPACED } from '../../shared/chain/pacing/pacing.ts'
import { NodeBudgetError } from '../../shared/chain/pacing/throttle.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { servePacing } from '../chain-feed/serve-pacing.ts'
import { parsePacingMessage } from '../transport/pacing-messages.ts'
import type { ProofRequest, ProofResponse } from './proof-worker.ts'
import type { ProofResult } from './prove-receipts.ts'

/** Proves receipts in a worker thread. The caller must wait for one block's proofs before it requests the next. */
export type ReceiptProver = {
  /**
   * Queries one node.
   *
   * @throws {NodeBudgetError} if a request was not sent because of our budget, or refused because of the node's own
   * limit
   * @throws if the node does not respond in time, or its block exceeds the memory of the thread
   */
  readonly prove: (
    request: Omit<ProofRequest, 'id'>,
    timeoutMs: number,
  ) => Promise<ReadonlyMap<Hex, ProofResult>>
  /** Ends the thread. A running proof and every later call of `prove` then throw. */
  readonly stop: () => Promise<void>
  readonly isStopped: () => boolean
}

/** Maximum heap of the thread. A block of 8,000 receipts, 22 MB as JSON, needs 210 MB. */
const MAX_HEAP_MB = 512

type Options = {
  /** Finds the pacer of a node, so that the thread's requests count against the daemon's budget for the node. */
  readonly pacerOf?: PacerOf
  readonly maxHeapMb?: number
}

/** Maximum time for the thread to load its code, which usually takes a second. */
const START_MS = 30_000

/**
 * Creates the prover. The first request starts its thread. If the thread fails or does not respond in time, it is
 * ended, and the next request starts another.
 */
export function createReceiptProver({
  pacerOf = () => UNPACED.pacer,
  maxHeapMb = MAX_HEAP_MB,
}: Options = {}): ReceiptProver {
  let running: RunningWorker | null = null
  let isStopped = false
  let lastId = 0
  const endWorker = async () => {
    const ended = running
    running = null
    await ended?.worker.terminate()
  }
  return {
    prove: async (request, timeoutMs) => {
      if (isStopped) throw new Error('the prover is stopped')
      const limitMs = running === null ? timeoutMs + START_MS : timeoutMs
      running ??= startWorker({ pacerOf, maxHeapMb })
      lastId += 1
      const { worker, isWaiting } = running
      const response = await exchange(worker, { ...request, id: lastId }, limitMs).catch(
        async (error: unknown) => {
          const isUnsent = isWaiting()
          await endWorker()
          throw isUnsent ? new NodeBudgetError('the budget of its node had no room for it in time') : error
        },
      )
      if (!('error' in response)) return response.results
      throw response.isOverBudget ? new NodeBudgetError(response.error) : new Error(response.error)
    },
    stop: async () => {
      isStopped = true
      await endWorker()
    },
    isStopped: () => isStopped,
  }
}

type RunningWorker = {
  readonly worker: Worker
  /** Returns whether a request of the thread waits for room in a node's budget. */
  readonly isWaiting: () => boolean
}

/**
 * Starts the worker thread. If this code runs from source, the thread registers tsx, because Node cannot load
 * TypeScript in a worker thread.
 */
function startWorker({ pacerOf, maxHeapMb }: Required<Options>): RunningWorker {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = new URL(isSource ? './proof-worker.ts' : './proof-worker.js', import.meta.url)
  const options = { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }
  const worker = isSource
    ? new Worker(loadSource(entry), { ...options, eval: true })
    : new Worker(entry, options)
  const pacing = servePacing({ pacerOf, reply: (reply) => post(worker, reply) })
  worker.on('message', pacing.receive)
  worker.once('exit', pacing.close)
  // Without a listener, an error while no proof is awaited would end the daemon.
  worker.on('error', () => undefined)
  worker.unref()
  return { worker, isWaiting: pacing.isWaiting }
}

function loadSource(entry: URL): string {
  return `import('tsx/esm/api').then(({ register }) => register()).then(() => import('${entry.href}'))`
}

/**
 * Sends a request and waits for the response. Throws if the thread fails or ends, for example because it exceeds its
 * memory, or if no response arrives in time.
 */
function exchange(worker: Worker, request: ProofRequest, timeoutMs: number): Promise<ProofResponse> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      settle()
    }
    const onMessage = (value: unknown) => {
      if (parsePacingMessage(value) !== null) return
      const response = value as ProofResponse
      if (response.id === request.id) end(() => resolve(response))
    }
    const onError = (error: unknown) => end(() => reject(error))
    const onExit = () => end(() => reject(new Error('the thread ended')))
    const timer = setTimeout(
      () => end(() => reject(new Error(`no proof after ${Math.round(timeoutMs)} ms`))),
      timeoutMs,
    )
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    post(worker, request)
  })
}

function post(worker: Worker, message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has no origin
  worker.postMessage(message)
}
