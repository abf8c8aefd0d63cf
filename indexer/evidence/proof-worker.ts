import { parentPort } from 'node:worker_threads'
import { createPublicClient } from 'viem'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { nodeTransport } from '../../shared/chain/nodes/node-transport.ts'
import { isOverBudget } from '../../shared/chain/pacing/throttle.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { createDaemonPacers } from '../transport/daemon-pacers.ts'
import { parsePacingReply } from '../transport/pacing-messages.ts'
import { type ProofResult, proveReceipts, type WantedReceipts } from './prove-receipts.ts'

export type ProofRequest = {
  /** The response has the same number. */
  readonly id: number
  readonly chainId: number
  readonly url: string
  readonly wanted: WantedReceipts
}

export type ProofResponse = { readonly id: number } & (
  | { readonly results: ReadonlyMap<Hex, ProofResult> }
  | {
      readonly error: string
      /** Whether a request was not sent because of our budget, or refused because of the node's own limit. */
      readonly isOverBudget: boolean
    }
)

const REQUEST_TIMEOUT_MS = 10_000
/** Maximum size of a response. The receipts of a block with 10,000 transfers take about 27 MB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024

/** Clients by node URL, so that the chain id of a node is verified once and not for each block. */
const clients = new Map<string, ChainClient>()

/** Paces every request through the daemon, whose own requests count against the same budget of the node. */
const pacerOf = createDaemonPacers(
  {
    on: (event: 'message', listener: (value: unknown) => void) => parentPort?.on(event, listener),
    send: post,
  } as unknown as NodeJS.Process,
  'all',
)

/*
 * The entry point of a worker thread (`receipt-prover.ts`). It reads, decodes and hashes whole blocks, whose size
 * strangers can influence, so it shares no heap, event loop or connections with the code that credits payments.
 */
parentPort?.on('message', (value: unknown) => {
  if (parsePacingReply(value) !== null) return
  void respond(value as ProofRequest).then(post)
})

function post(message: unknown): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has no origin
  parentPort?.postMessage(message)
}

async function respond({ id, chainId, url, wanted }: ProofRequest): Promise<ProofResponse> {
  const client = clients.get(url) ?? createClient({ chainId, url })
  clients.set(url, client)
  try {
    return { id, results: await proveReceipts(client, wanted) }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { id, error: text, isOverBudget: isOverBudget(error) }
  }
}

function createClient({ chainId, url }: Omit<ProofRequest, 'id' | 'wanted'>): ChainClient {
  const limits = { timeoutMs: REQUEST_TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES }
  const pacing = { pacer: pacerOf(url), priority: 'background' } as const
  return createPublicClient({
    transport: nodeTransport({ url, chainId, ...limits, pacing }),
  }) as unknown as ChainClient
}
