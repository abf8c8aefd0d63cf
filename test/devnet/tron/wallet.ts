import { type Hex, numberToHex, slice, stringToHex, toFunctionSelector } from 'viem'

import type { Address } from '../../../shared/domain/address.ts'
import { formatTronAddress, parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { readFields } from './protobuf.ts'
import { decodeRawTransaction, encodeRawTransaction, getTxId, type TronContract } from './raw-transaction.ts'
import { balanceOf, hasCode, runContract, SUN_PER_ENERGY } from './run-tron.ts'
import type { FoundTron, TronBlock, TronOutcome } from './tron-block.ts'
import type { TronChain } from './tron-chain.ts'

/** A request to `/wallet` or `/walletsolidity`. `seen` is the last block that the API shows. */
type Call = { readonly chain: TronChain; readonly seen: TronBlock; readonly body: Body }
type Body = Readonly<Record<string, unknown>>

/** Handles one method of the HTTP API. */
export type WalletMethod = (call: Call) => unknown

/** Lifetime of a transaction that the node builds, as on real nodes. */
const LIFE_MS = 60_000n
/** Maximum energy of a constant call. */
export const MAX_ENERGY = 100_000_000n

/** Methods of both APIs. `/walletsolidity` shows only solidified blocks. */
export const READ_METHODS: Readonly<Record<string, WalletMethod>> = {
  getnowblock: ({ seen }) => presentBlock(seen),
  getblock: ({ chain, seen, body }) => {
    const wanted = body['id_or_num']
    const block = wanted === undefined ? seen : chain.blocks()[Number(wanted)]
    if (block === undefined || block.number > seen.number) return {}
    return (String(body['detail']) === 'true' ? presentBlock : presentHeader)(block)
  },
  getblockbynum: ({ chain, seen, body }) => {
    const block = chain.blocks()[Number(body['num'])]
    return block === undefined || block.number > seen.number ? {} : presentBlock(block)
  },
  gettransactionbyid: (call) => {
    const found = findSeen(call)
    return found === null ? {} : presentSigned(found)
  },
  gettransactioninfobyid: (call) => {
    const found = findSeen(call)
    return found === null ? {} : presentInfo(found)
  },
  triggerconstantcontract: async (call) => {
    const { chain, seen, body } = call
    const contract = readTrigger(body)
    const evm = await chain.state.evmAt(seen.stateRoot)
    if (!(await hasCode(evm, contract.to))) return NO_CONTRACT
    const run = await runContract(contract, { evm, block: seen, energyLimit: MAX_ENERGY })
    return {
      result: {
        result: true,
        ...(run.result !== 'SUCCESS' && { message: bare(stringToHex(`${run.result} opcode executed`)) }),
      },
      energy_used: Number(run.energyUsed),
      constant_result: [bare(run.returned)],
      ...(run.logs.length > 0 && !chain.habits.hidesTriedLogs && { logs: presentLogs(run) }),
      transaction: { ret: [run.result === 'SUCCESS' ? {} : { ret: 'FAILED' }], ...build(call, contract) },
    }
  },
  getaccount: async ({ chain, seen, body }) => {
    const address = readAddress(body['address'])
    const balance = await balanceOf(await chain.state.evmAt(seen.stateRoot), address)
    return balance === 0n ? {} : { address: withPrefix(address), balance: Number(balance) }
  },
}

/** Methods of `/wallet` only. They build or broadcast a transaction, or return the chain's parameters. */
export const WRITE_METHODS: Readonly<Record<string, WalletMethod>> = {
  triggersmartcontract: async (call) => {
    const contract = readTrigger(call.body)
    if (!(await hasCode(await call.chain.state.evmAt(call.seen.stateRoot), contract.to))) return NO_CONTRACT
    return { result: { result: true }, transaction: build(call, contract) }
  },
  createtransaction: (call) =>
    build(call, {
      type: 'TransferContract',
      owner: readAddress(call.body['owner_address']),
      to: readAddress(call.body['to_address']),
      amountSun: BigInt(Number(call.body['amount'])),
    }),
  getchainparameters: () => ({
    chainParameter: [
      { key: 'getEnergyFee', value: Number(SUN_PER_ENERGY) },
      { key: 'getTransactionFee', value: 1_000 },
      { key: 'getMaxFeeLimit', value: 15_000_000_000 },
    ],
  }),
  broadcasttransaction: ({ chain, body }) => {
    const [signature] = (body['signature'] as readonly string[] | undefined) ?? []
    return broadcast(chain, {
      rawData: `0x${String(body['raw_data_hex'])}`,
      signature: `0x${(signature ?? '').replace(/^0x/, '')}`,
    })
  },
  broadcasthex: async ({ chain, body }) => {
    const fields = readFields(`0x${String(body['transaction'])}`)
    const [rawData, signature] = [1, 2].map((field) => fields.find(({ number }) => number === field)?.value)
    const answer = await broadcast(chain, { rawData: rawData as Hex, signature: signature as Hex })
    // The response also contains the decoded transaction as text.
    return { ...answer, transaction: JSON.stringify({ raw_data: presentRaw(rawData as Hex, false) }) }
  },
}

/** Response of java-tron to a call to an address without code. */
const NO_CONTRACT = {
  result: {
    code: 'CONTRACT_VALIDATE_ERROR',
    message: bare(stringToHex('No contract or not a valid smart contract')),
  },
}

async function broadcast(
  chain: TronChain,
  { rawData, signature }: { readonly rawData: Hex; readonly signature: Hex },
): Promise<object> {
  const hash = getTxId(rawData)
  const code = await chain.broadcast({ ...decodeRawTransaction(rawData), hash, rawData, signature })
  // `result: true` means only that the transaction is pending. Messages are hex-encoded text.
  return code === 'SUCCESS'
    ? { result: true, txid: bare(hash) }
    : { code, txid: bare(hash), message: bare(stringToHex(MESSAGES[code] ?? code)) }
}

const MESSAGES: Readonly<Record<string, string>> = {
  DUP_TRANSACTION_ERROR: 'Dup transaction.',
  TRANSACTION_EXPIRATION_ERROR: 'Transaction expired',
  TAPOS_ERROR: 'Tapos check error.',
  SIGERROR: 'Validate signature error: sig error',
}

function build({ chain, body }: Call, contract: TronContract): object {
  const head = chain.head()
  const nowMs = BigInt(head.timestamp) * 1000n
  const raw = {
    contract,
    refBlockBytes: slice(numberToHex(head.number, { size: 8 }), 6),
    refBlockHash: slice(head.hash, 8, 16),
    expirationMs: nowMs + LIFE_MS,
    timestampMs: nowMs,
    feeLimitSun: BigInt(Number(body['fee_limit'] ?? 0)),
  }
  const rawData = encodeRawTransaction(raw)
  return {
    ...{ visible: body['visible'] === true, txID: bare(getTxId(rawData)) },
    ...{ raw_data: presentRaw(rawData, body['visible'] === true), raw_data_hex: bare(rawData) },
  }
}

function presentRaw(rawData: Hex, isVisible: boolean): object {
  const raw = decodeRawTransaction(rawData)
  const address = (value: Hex) => (isVisible ? formatTronAddress(value as Address) : withPrefix(value))
  const { contract } = raw
  const value =
    contract.type === 'TransferContract'
      ? { to_address: address(contract.to), amount: Number(contract.amountSun) }
      : contract.type === 'TriggerSmartContract'
        ? { contract_address: address(contract.to), data: bare(contract.data) }
        : { new_contract: { origin_address: address(contract.owner), bytecode: bare(contract.code) } }
  return {
    contract: [
      {
        parameter: {
          value: { owner_address: address(contract.owner), ...value },
          type_url: `type.googleapis.com/protocol.${contract.type}`,
        },
        type: contract.type,
      },
    ],
    ...{ ref_block_bytes: bare(raw.refBlockBytes), ref_block_hash: bare(raw.refBlockHash) },
    ...{ expiration: Number(raw.expirationMs), timestamp: Number(raw.timestampMs) },
    ...(raw.feeLimitSun > 0n && { fee_limit: Number(raw.feeLimitSun) }),
  }
}

function presentSigned({ transaction }: FoundTron): object {
  const { rawData, signature, result, hash } = transaction
  return {
    ret: [{ contractRet: result }],
    ...{ signature: [bare(signature)], txID: bare(hash) },
    ...{ raw_data: presentRaw(rawData, false), raw_data_hex: bare(rawData) },
  }
}

/** Returns the effects of a transaction in the format of the HTTP API. */
export function presentInfo({ block, transaction }: FoundTron): object {
  const { hash, result, energyUsed, energyFeeSun, bandwidthFeeSun, contractAddress } = transaction
  return {
    id: bare(hash),
    fee: Number(energyFeeSun + bandwidthFeeSun),
    ...{ blockNumber: block.number, blockTimeStamp: block.timestamp * 1000 },
    contractResult: [bare(transaction.returned)],
    ...(contractAddress !== null && { contract_address: withPrefix(contractAddress) }),
    receipt: {
      ...(energyUsed > 0n && { energy_usage_total: Number(energyUsed), energy_fee: Number(energyFeeSun) }),
      ...(bandwidthFeeSun > 0n && { net_fee: Number(bandwidthFeeSun) }),
      result,
    },
    ...(result !== 'SUCCESS' && { result: 'FAILED', resMessage: bare(stringToHex(result)) }),
    log: presentLogs(transaction),
  }
}

function presentLogs({ logs }: Pick<TronOutcome, 'logs'>): readonly object[] {
  return logs.map(({ address, topics, data }) => ({
    ...{ address: bare(address), topics: topics.map(bare), data: bare(data) },
  }))
}

/** Returns a block with its transactions. An empty block has no `transactions` field. */
export function presentBlock(block: TronBlock): object {
  const transactions = block.transactions.map((transaction, index) =>
    presentSigned({ block, index, transaction }),
  )
  return { ...presentHeader(block), ...(transactions.length > 0 && { transactions }) }
}

function presentHeader(block: TronBlock): object {
  const { number, timestamp, parentHash } = block
  return {
    blockID: bare(block.hash),
    block_header: {
      raw_data: { number, timestamp: timestamp * 1000, parentHash: bare(parentHash), version: 32 },
    },
  }
}

function findSeen({ chain, seen, body }: Call): FoundTron | null {
  const found = chain.find(`0x${String(body['value']).replace(/^0x/, '')}`)
  return found === undefined || found.block.number > seen.number ? null : found
}

/** Reads a contract call from complete call data, or from a function signature and encoded arguments. */
export function readTrigger(body: Body): Extract<TronContract, { type: 'TriggerSmartContract' }> {
  const { data, function_selector: selector, parameter = '' } = body
  const bytes = typeof data === 'string' ? data : `${selectorOf(String(selector))}${String(parameter)}`
  return {
    type: 'TriggerSmartContract',
    owner: readAddress(body['owner_address']),
    to: readAddress(body['contract_address']),
    data: `0x${bytes.replace(/^0x/, '')}`,
    callValueSun: BigInt(Number(body['call_value'] ?? 0)),
  }
}

function selectorOf(signature: string): string {
  return bare(toFunctionSelector(signature))
}

/** Reads an address in the formats `41…` and `T…`, which real nodes accept. */
export function readAddress(text: unknown): Hex {
  const written = String(text)
  const address = /^41[0-9a-fA-F]{40}$/.test(written)
    ? (`0x${written.slice(2).toLowerCase()}` as const)
    : parseTronAddress(written)
  if (address === null) throw new Error(`INVALID address, expected 41… or T…, got ${written.slice(0, 50)}`)
  return address
}

/** Formats an address for a response to a request without `visible`. */
export function withPrefix(address: Hex): string {
  return `41${address.slice(2)}`
}

/** Formats bytes as the HTTP API does. */
export function bare(bytes: Hex): string {
  return bytes.slice(2)
}
