/**
 * A minimal watcher: a viem loop over a token's transfers that handles neither reorganizations nor restarts and keeps
 * no ledger. Prints a JSON line when it has started, when it detects a transfer, and when the transfer is confirmed.
 *
 *   node --import tsx test/bench/bare-watcher.ts RPC_URL TOKEN INTERVAL_MS CONFIRMATIONS
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createPublicClient, erc20Abi, http } from 'viem'

/** One line of the output. The time is in Unix milliseconds. */
export type BareLine = {
  readonly to: string
  readonly what: 'started' | 'seen' | 'confirmed'
  readonly atMs: number
}

const [rpcUrl = '', token = '', intervalMs = '', confirmations = ''] = process.argv.slice(2)
const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
const waiting = new Map<string, bigint>()
let last = await client.getBlockNumber()
say({ to: '', what: 'started', atMs: Date.now() })

for (;;) {
  const head = await client.getBlockNumber()
  if (head > last) {
    const logs = await client.getContractEvents({
      ...{ address: token as `0x${string}`, abi: erc20Abi, eventName: 'Transfer' },
      ...{ fromBlock: last + 1n, toBlock: head },
    })
    for (const { args, blockNumber } of logs) {
      const to = String(args.to).toLowerCase()
      waiting.set(to, blockNumber)
      say({ to, what: 'seen', atMs: Date.now() })
    }
    for (const [to, block] of waiting) {
      if (head - block + 1n < BigInt(confirmations)) continue
      waiting.delete(to)
      say({ to, what: 'confirmed', atMs: Date.now() })
    }
    last = head
  }
  await delay(Number(intervalMs))
}

function say(line: BareLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
