import { hexToBigInt, keccak256, pad, stringToHex, toHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import { hashBlock, isTronBlock } from './block-id.ts'
import type { Block, ModelLog, Receipt } from './chain.ts'
import type { LieKind, LieTerms, Target } from './lie-kinds.ts'
import { copyState } from './state.ts'

/**
 * Seconds by which blocks are misdated: longer than any charge of a history lives, but shorter than the time in which
 * the history must come to rest (`REST_MS`).
 */
export const MISDATED_SECONDS = 3_600

/** Returns the block as a node with these lies shows it, always the same for equal blocks. */
export function reportBlock(block: Block, terms: LieTerms): Block {
  return terms.kinds.reduce((told, kind) => BLOCKS_BY_KIND[kind]?.(told, terms) ?? told, block)
}

type TellBlock = (block: Block, terms: LieTerms) => Block

/** The kinds of lies that change blocks. `lie.ts`, `node.ts` and `tron-node.ts` implement the other kinds. */
const BLOCKS_BY_KIND: Partial<Record<LieKind, TellBlock>> = {
  'adds payments': (block, terms) => addLog(block, { log: drawPayment(block, terms), mayInvent: false }),
  'invents payments': (block, terms) => payInState(addLog(block, { log: drawPayment(block, terms) }), terms),
  'adds distributions': (block, terms) => addLog(block, { log: drawDistribution(block, terms) }),
  'shrinks amounts': (block, terms) => changeLogs(block, terms, (log) => ({ ...log, data: wordOf(1n) })),
  'enlarges amounts': (block, terms) =>
    changeLogs(block, terms, (log) => ({ ...log, data: wordOf(hexToBigInt(log.data) * 1_000n) })),
  'changes senders': (block, terms) => changeLogs(block, terms, changeSender),
  'dates ahead': (block) => ({ ...block, timestamp: block.timestamp + MISDATED_SECONDS }),
  'dates back': (block) => ({ ...block, timestamp: block.timestamp - MISDATED_SECONDS }),
  forks: (block) => ({
    ...block,
    hash: hashBlock(`fork ${block.hash}`, { number: block.number, isTron: isTronBlock(block) }),
  }),
  'hides balances': (block, terms) => {
    const state = copyState(block.state)
    for (const { address: token } of terms.tokens)
      for (const { address } of terms.listTargets()) state.balances.set(`${token}/${address}`, 0n)
    return { ...block, state }
  },
  'hides reverts': (block) => ({
    ...block,
    receipts: block.receipts.map((receipt) => ({ ...receipt, isSuccess: true })),
  }),
}

/** Lowest index of an added log, unless the log takes the first index of a receipt. Far above all real indexes. */
const INVENTED_LOG_INDEX = 500

type Added = {
  readonly log: Omit<ModelLog, 'logIndex'> | null
  readonly mayInvent?: boolean
}

/** Adds a log to a block: before or after the logs of a real transaction, or as the log of an invented transaction. */
function addLog(block: Block, { log, mayInvent = true }: Added): Block {
  if (log === null) return block
  const [first, ...others] = block.receipts
  if (first !== undefined && (!mayInvent || digitOf(block, 1) % 2 === 0))
    return { ...block, receipts: [withLog(first, { log, isFirst: digitOf(block, 2) % 2 === 0 }), ...others] }
  if (!mayInvent) return block
  const hash = hashOf(`invented ${block.hash} ${block.receipts.length}`)
  const transaction = { hash, from: STRANGER, nonce: null, run: () => [] }
  const invented = {
    transaction,
    isSuccess: true,
    logs: [{ ...log, logIndex: 2 * INVENTED_LOG_INDEX + block.receipts.length }],
  }
  return { ...block, receipts: [...block.receipts, invented] }
}

/** Adds the log to a receipt. With `isFirst`, the log takes the first index, and the other indexes grow by one. */
function withLog(
  receipt: Receipt,
  { log, isFirst }: { readonly log: Omit<ModelLog, 'logIndex'>; readonly isFirst: boolean },
): Receipt {
  const [first] = receipt.logs
  const logs =
    isFirst && first !== undefined
      ? [
          { ...log, logIndex: first.logIndex },
          ...receipt.logs.map((each) => ({ ...each, logIndex: each.logIndex + 1 })),
        ]
      : [...receipt.logs, { ...log, logIndex: INVENTED_LOG_INDEX + receipt.logs.length }]
  return { ...receipt, isSuccess: true, logs }
}

function drawPayment(block: Block, terms: LieTerms): Omit<ModelLog, 'logIndex'> | null {
  const { target, token } = drawTarget(block, terms)
  if (target === undefined || token === undefined) return null
  const amount = atomicOf(target, token.emitter)
  return {
    address: token.emitter.address,
    topics: [TRANSFER_TOPIC, topicOf(STRANGER), topicOf(target.address)],
    data: wordOf(amount),
  }
}

function drawDistribution(block: Block, terms: LieTerms): Omit<ModelLog, 'logIndex'> | null {
  const { target, token } = drawTarget(block, terms)
  if (target === undefined || token === undefined) return null
  return {
    address: target.splitAddress,
    topics: [SPLIT_TOPICS[0] as Hex, topicOf(token.address), topicOf(STRANGER)],
    data: wordOf(atomicOf(target, token)),
  }
}

/** Adds the invented payment to the charge's balance, but only in this block. */
function payInState(block: Block, terms: LieTerms): Block {
  const { target, token } = drawTarget(block, terms)
  if (target === undefined || token === undefined) return block
  const state = copyState(block.state)
  const key = `${token.address}/${target.address}`
  state.balances.set(key, (state.balances.get(key) ?? 0n) + atomicOf(target, token.emitter))
  return { ...block, state }
}

function drawTarget(block: Block, { listTargets, tokens }: LieTerms) {
  const targets = listTargets()
  return {
    target: targets[digitOf(block, 3) % Math.max(1, targets.length)],
    token: tokens[digitOf(block, 4) % Math.max(1, tokens.length)],
  }
}

function atomicOf({ amountMicro }: Target, { decimals }: { readonly decimals: number }): bigint {
  return amountMicro * 10n ** BigInt(decimals - 6)
}

/** Changes the logs of transfers to charges, of transfers out of their Safes, and of their splits' events. */
function changeLogs(block: Block, { listTargets }: LieTerms, change: (log: ModelLog) => ModelLog): Block {
  const targets = listTargets()
  const isOurs = ({ address, topics }: ModelLog) =>
    targets.some(
      (target) =>
        address === target.splitAddress || topics[2] === topicOf(target.address) || isMove(topics, target),
    )
  return {
    ...block,
    receipts: block.receipts.map((receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log) => (isOurs(log) ? change(log) : log)),
    })),
  }
}

/** Whether a transfer leaves the Safe of an escrow. */
function isMove(topics: ModelLog['topics'], { address, splitAddress }: Target): boolean {
  return address !== splitAddress && topics[0] === TRANSFER_TOPIC && topics[1] === topicOf(address)
}

/** Changes the sender of a transfer, or the distributor or account of a split event. */
function changeSender(log: ModelLog): ModelLog {
  const [topic, first, second] = log.topics
  if (topic === undefined || first === undefined || second === undefined) return log
  return {
    ...log,
    topics: topic === TRANSFER_TOPIC ? [topic, topicOf(STRANGER), second] : [topic, first, topicOf(STRANGER)],
  }
}

const STRANGER = `0x${'57'.repeat(20)}` as Address

/** Returns a digit of a block's hash, which makes the lie about a block always the same. */
function digitOf({ hash }: Block, at: number): number {
  return Number.parseInt(hash.at(-1 - at) ?? '0', 16)
}

function hashOf(name: string): Hex {
  return keccak256(stringToHex(name))
}

function topicOf(address: Address): Hex {
  return pad(address, { size: 32 })
}

function wordOf(amount: bigint): Hex {
  return toHex(amount, { size: 32 })
}
