import { recoverAddress, slice, stringToHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { readMessage } from '../../../shared/domain/chain-families/tron/protobuf.ts'
import {
  decodeSignedCall,
  tronTransactionId,
} from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { FUNDS } from './arc.ts'
import { hashBlock } from './block-id.ts'
import { answerCall } from './calls.ts'
import { type Block, blockAt, type ModelLog, type Receipt } from './chain.ts'
import type { ModelNode } from './model-node.ts'
import { isLeftOut, shownHead, shownLogs, tells } from './shown.ts'
import { Reverted } from './state.ts'
import { SUN_PER_ENERGY } from './tron.ts'
import { simulateTronEffect, tryTronCall } from './tron-call.ts'

type Body = Readonly<Record<string, unknown>>

/** java-tron's response to a request above its limit. The status is 200. */
export const OVERLOADED = { Error: 'class java.lang.IllegalAccessException : lack of computing resources' }
const BROKEN = { Error: 'class java.lang.NullPointerException : internal error' }

/** Number of blocks by which a foreign node's chain, or a lying node's claimed head, is higher than the chain. */
const HIGHER_BLOCKS = 1_000_000
const FOREIGN_CHAIN_ID = '00000539'
const DAY_MS = 86_400_000

/**
 * Returns the response of a TRON node's HTTP API. `/walletsolidity` shows only solidified blocks, which are never
 * reorganized.
 */
export async function answerTron(node: ModelNode, path: string, body: Body): Promise<object> {
  if (node.mode === 'failing') return BROKEN
  const isForeign = node.mode === 'foreign'
  const [api, method] = path.split('/') as [string, string]
  const head = shownHead(node)
  const last = api === 'wallet' ? head : solidOf(node, head)
  switch (method) {
    case 'getblockbynum':
      return presentHead(isForeign ? foreignGenesis(head) : blockAt(head, Number(body['num'])))
    case 'getblock':
      return isForeign ? presentHead(foreignHead(head)) : showBlock(node, last, body)
    case 'gettransactioninfobyblocknum': {
      const block = isForeign ? null : blockAt(last, Number(body['num']))
      return block === null ? [] : shownReceipts(node, block).map((receipt) => showInfo(node, block, receipt))
    }
    case 'gettransactioninfobyid':
      return isForeign ? {} : findInfo(node, last, `0x${String(body['value'])}`)
    case 'getchainparameters':
      return { chainParameter: [{ key: 'getEnergyFee', value: Number(SUN_PER_ENERGY) }] }
    case 'getaccount':
      return { balance: Number(FUNDS / 10n ** 8n) }
    case 'getaccountresource':
      return { freeNetLimit: 600 }
    case 'triggerconstantcontract':
      return call(node, isForeign ? (blockAt(head, 0) ?? head) : last, body)
    case 'broadcasthex':
      return isForeign ? refuse('TAPOS_ERROR') : broadcast(node, `0x${String(body['transaction'])}`)
    default:
      throw new Error(`the simulated node does not support ${path}`)
  }
}

/** Returns the highest solidified block below a head. */
export function solidOf({ chain }: ModelNode, head: Block): Block {
  return blockAt(head, Math.max(0, head.number - chain.confirmations + 1)) ?? head
}

function showBlock(node: ModelNode, last: Block, { id_or_num: wanted, detail }: Body): object {
  const block = wanted === undefined ? claimedOf(node, last) : blockAt(last, Number(wanted))
  if (block === null) return {}
  const transactions = shownReceipts(node, block).map(({ transaction }) => ({
    txID: transaction.hash.slice(2),
  }))
  return { ...presentHead(block), ...(detail === true && transactions.length > 0 && { transactions }) }
}

function claimedOf(node: ModelNode, head: Block): Block {
  if (!tells(node, 'claims height')) return head
  const number = head.number + HIGHER_BLOCKS
  const hash = hashBlock(`claimed ${head.hash}`, { number, isTron: true })
  return { ...head, number, hash, timestamp: head.timestamp + HIGHER_BLOCKS, receipts: [] }
}

function foreignHead(head: Block): Block {
  const number = head.number + HIGHER_BLOCKS
  return { ...head, number, hash: hashBlock(`foreign ${number}`, { number, isTron: true }) }
}

function foreignGenesis(head: Block): Block {
  const hash = hashBlock('foreign genesis', { number: 0, isTron: true })
  return { ...head, number: 0, hash: `${hash.slice(0, -8)}${FOREIGN_CHAIN_ID}` as Hex }
}

function presentHead(block: Block | null): object {
  if (block === null) return {}
  const { number, hash, timestamp } = block
  return { blockID: hash.slice(2), block_header: { raw_data: { number, timestamp: timestamp * 1000 } } }
}

function shownReceipts(node: ModelNode, { receipts }: Block): readonly Receipt[] {
  return receipts.filter(({ transaction }) => !isLeftOut(node, transaction.hash))
}

function showInfo(node: ModelNode, { number }: Block, receipt: Receipt): object {
  const { transaction, isSuccess } = receipt
  const log = shownLogs(node, receipt).map(presentLog)
  return {
    ...{ id: transaction.hash.slice(2), blockNumber: number },
    ...(isSuccess ? { receipt: { result: 'SUCCESS' } } : { receipt: { result: 'REVERT' }, result: 'FAILED' }),
    ...(log.length > 0 && { log }),
  }
}

function presentLog({ address, topics, data }: Pick<ModelLog, 'address' | 'topics' | 'data'>): object {
  return { address: address.slice(2), topics: topics.map((topic) => topic.slice(2)), data: data.slice(2) }
}

function findInfo(node: ModelNode, last: Block, hash: Hex): object {
  for (let block: Block | null = last; block !== null; block = block.parent) {
    const receipt = shownReceipts(node, block).find(({ transaction }) => transaction.hash === hash)
    if (receipt !== undefined) return showInfo(node, block, receipt)
  }
  return {}
}

/** Simulates a constant call: a token's `balanceOf`, or a distribution or release. */
function call(node: ModelNode, { state }: Block, body: Body): object {
  const to = addressOf(body['contract_address'])
  const { chain, tokens } = node
  const isRead = tokens.some(({ address }) => address === to)
  try {
    if (isRead) {
      // The service reads only the balances of tokens through this API.
      const data: Hex = `${BALANCE_OF}${String(body['parameter'])}`
      const word = answerCall(state, { tokens, chain, timestamp: 0 }, { to, data })
      return { ...RUN, energy_used: 1_000, constant_result: [word.slice(2)] }
    }
    if (tells(node, 'reverts calls')) throw new Reverted('0x')
    const { spoken, energy } = tryTronCall(state, { to, data: `0x${String(body['data'])}` }, chain)
    return { ...RUN, energy_used: Number(energy), constant_result: [''], logs: spoken.map(presentLog) }
  } catch (error) {
    if (!(error instanceof Reverted)) throw error
    return {
      result: { result: true, message: stringToHex('REVERT opcode executed').slice(2) },
      ...{ energy_used: 1_000, constant_result: [error.data.slice(2)] },
      transaction: { ret: [{ ret: 'FAILED' }] },
    }
  }
}

const BALANCE_OF = '0x70a08231'
const RUN = { result: { result: true }, transaction: { ret: [{}] } }

/** Adds a signed transaction to the pool. Refuses duplicates and an invalid signature, expiration or block. */
async function broadcast({ chain, head }: ModelNode, signed: Hex): Promise<object> {
  const called = decodeSignedCall(signed)
  const [raw, signature] = readMessage(signed).map(([, value]) => value)
  if (called === null || typeof raw !== 'string' || typeof signature !== 'string') return refuse('SIGERROR')
  const hash = tronTransactionId(raw)
  const signer = await recoverAddress({ hash, signature })
  if (signer.toLowerCase() !== called.owner) return refuse('SIGERROR')
  const expiresAtMs = Number(called.expirationMs)
  const nowMs = head.timestamp * 1000
  if (expiresAtMs <= nowMs || expiresAtMs > nowMs + DAY_MS) return refuse('TRANSACTION_EXPIRATION_ERROR')
  const reference = blockAt(head, Number(called.refBlockBytes))
  if (reference === null || slice(reference.hash, 8, 16) !== called.refBlockHash) return refuse('TAPOS_ERROR')
  if (chain.isPending(hash) || isIncluded(head, hash)) return refuse('DUP_TRANSACTION_ERROR')
  chain.send({ hash, from: called.owner, nonce: null, expiresAtMs, run: simulateTronEffect(called, chain) })
  return { result: true, txid: hash.slice(2) }
}

function isIncluded(head: Block, hash: Hex): boolean {
  for (let block: Block | null = head; block !== null; block = block.parent)
    if (block.receipts.some(({ transaction }) => transaction.hash === hash)) return true
  return false
}

function refuse(code: string): object {
  return { code, message: stringToHex(code).slice(2) }
}

function addressOf(text: unknown): Address {
  const address = parseTronAddress(String(text))
  if (address === null) throw new Error(`${String(text)} is not an address of TRON`)
  return address
}
