import {
  type Address,
  concatHex,
  createTestClient,
  encodeAbiParameters,
  type Hex,
  http,
  pad,
  publicActions,
} from 'viem'
import { foundry } from 'viem/chains'
import type { Address as OurAddress } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'
import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { startAnvil } from '../devnet/anvil.ts'

/** A log with three topics and one 32-byte word of data: a Transfer or a split's event. */
export type SpokenLog = { readonly topics: readonly [Hex, Hex, Hex]; readonly amount: bigint }

/** A transaction, with the raw bytes that are needed to include it again after a reorganization. */
export type SentTransaction = { readonly hash: Hex; readonly raw: Hex }

/**
 * Contract code that emits one log for every 128 bytes of input: three topics and a word of data.
 *
 * `for (i = 0; i < calldatasize; i += 128) log3(word(i + 96), word(i), word(i + 32), word(i + 64))`
 */
const SPEAKER: Hex =
  '0x60005b36811015602a5760208160600160003780604001358160200135823560206000a36080016002565b00'

/** Gas limit of a transaction. A thousand logs take 3 million; the chain's block limit is a billion. */
const GAS = 30_000_000n

/** Starts a chain that mines only on demand, and on which a test can make any address emit logs. */
export async function startPonderChain(options: { readonly directory: string; readonly chainId?: number }) {
  const anvil = await startAnvil({
    name: 'chain',
    chainId: options.chainId ?? 31337,
    directory: options.directory,
  })
  const chain = { ...foundry, id: anvil.chainId }
  const node = createTestClient({ chain, mode: 'anvil', transport: http(anvil.rpcUrl), cacheTime: 0 }).extend(
    publicActions,
  )
  await node.setAutomine(false)
  await node.mine({ blocks: 1 })

  /** Sends a transaction that emits these logs in order. It is mined in the next block. */
  async function speak(
    at: Address,
    logs: readonly SpokenLog[],
    from: keyof typeof ACCOUNTS = 'payer',
  ): Promise<SentTransaction> {
    await node.setCode({ address: at, bytecode: SPEAKER })
    const account = toSigner(ACCOUNTS[from])
    const nonce = await node.getTransactionCount({ address: account.address, blockTag: 'pending' })
    const raw = await account.signTransaction({
      ...{ chainId: chain.id, nonce, gas: GAS, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1n },
      ...{ to: at, data: concatHex(logs.map(encodeLog)), type: 'eip1559' },
    })
    return { hash: await node.sendRawTransaction({ serializedTransaction: raw }), raw }
  }

  return {
    chainId: anvil.chainId,
    rpcUrl: anvil.rpcUrl,
    node,
    speak,
    stop: anvil.stop,
    mine: (blocks = 1) => node.mine({ blocks }),
    tip: async () => Number(await node.getBlockNumber()),
    /**
     * Replaces the last `depth` blocks with new blocks. `include` lists raw transactions, each with the index of its
     * new block, counted from 0.
     */
    reorg: (depth: number, include: readonly (readonly [Hex, number])[] = []) =>
      node.request({ method: 'anvil_reorg', params: [depth, include] } as never),
  }
}

export type PonderChain = Awaited<ReturnType<typeof startPonderChain>>

/** Returns the log of an ERC-20 Transfer. */
export function transferLog(transfer: { from?: Address; to: Address; amount: bigint }): SpokenLog {
  const { from = ACCOUNTS.payer.address, to, amount } = transfer
  return { topics: [TRANSFER_TOPIC, topicOf(from), topicOf(to)], amount }
}

/** Returns the log of a split that distributed a token. */
export function distributedLog(event: { token: Address; amount: bigint }): SpokenLog {
  const [topic = pad('0x00')] = SPLIT_TOPICS
  return { topics: [topic, topicOf(event.token), topicOf(ACCOUNTS.keeper.address)], amount: event.amount }
}

function topicOf(address: Address): Hex {
  return toTopic(address.toLowerCase() as OurAddress)
}

function encodeLog({ topics, amount }: SpokenLog): Hex {
  return concatHex([...topics, encodeAbiParameters([{ type: 'uint256' }], [amount])])
}
