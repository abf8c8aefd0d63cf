import type { EVMResult } from '@ethereumjs/evm'
import { Account } from '@ethereumjs/util'
import { type Address, bytesToHex, type Hex, hexToBytes, size } from 'viem'

import type { NodeLog } from '../evm-node/block.ts'
import { evmAddress } from '../evm-node/run-transaction.ts'
import type { TronContract } from './raw-transaction.ts'
import type { TronOutcome, TronTransaction } from './tron-block.ts'
import type { TronEvm } from './tron-evm.ts'

/** Price of one unit of energy. Source: java-tron, ChainConstant and the committee’s parameters of November 2026. */
export const SUN_PER_ENERGY = 100n
/** Price of one byte of a transaction that exceeds the day's free bytes. Same source. */
export const SUN_PER_BYTE = 1_000n
/** Free bytes of an account per day. They are never renewed here, because no test lasts a day. */
export const FREE_BYTES = 600n
/** Bytes of a signature and its surrounding fields, which the network counts in addition to the raw data. */
const OVERHEAD_BYTES = 134n

/** The block in which a contract runs. */
export type RunsIn = { readonly number: number; readonly timestamp: number }

export type Run = { readonly evm: TronEvm; readonly block: RunsIn; readonly energyLimit: bigint }

/** Returns the number of bytes that the network counts for a transaction. */
export function countBytes({ rawData }: Pick<TronTransaction, 'rawData'>): bigint {
  return BigInt(size(rawData)) + OVERHEAD_BYTES
}

/** Returns the fee in sun for the bytes of a transaction: 0 if all are free, otherwise the price of all bytes. */
export function bandwidthFeeSun(transaction: Pick<TronTransaction, 'rawData'>, usedBytes: bigint): bigint {
  const bytes = countBytes(transaction)
  return usedBytes + bytes <= FREE_BYTES ? 0n : bytes * SUN_PER_BYTE
}

/**
 * Runs a signed transaction, and applies its effects and fees to the state of the EVM.
 *
 * The owner pays for energy up to `fee_limit`, or up to their balance if the balance is lower. A success or a revert
 * costs only the used energy. Any other failure costs all energy up to this limit.
 */
export async function runTron(
  evm: TronEvm,
  { transaction, block, usedBytes }: { transaction: TronTransaction; block: RunsIn; usedBytes: bigint },
): Promise<TronOutcome> {
  const { contract, hash } = transaction
  const fee = bandwidthFeeSun(transaction, usedBytes)
  await pay(evm, { from: contract.owner, sun: fee })
  if (contract.type === 'TransferContract') {
    await pay(evm, { from: contract.owner, to: contract.to, sun: contract.amountSun })
    return { ...NOTHING, result: 'SUCCESS', bandwidthFeeSun: fee }
  }
  const balance = await balanceOf(evm, contract.owner)
  const affordable = (balance - contract.callValueSun) / SUN_PER_ENERGY
  const limit = transaction.feeLimitSun / SUN_PER_ENERGY
  const energyLimit = affordable < limit ? affordable : limit
  evm.rootId = hash
  evm.started = 0n
  const run = await runContract(contract, { evm, block, energyLimit })
  const energyFeeSun = run.energyUsed * SUN_PER_ENERGY
  await pay(evm, { from: contract.owner, sun: energyFeeSun })
  await evm.journal.cleanup()
  return { ...run, energyFeeSun, bandwidthFeeSun: fee }
}

const NOTHING = {
  returned: '0x',
  energyUsed: 0n,
  energyFeeSun: 0n,
  logs: [],
  contractAddress: null,
} as const

/** Runs a call or a contract creation without charging a fee. */
export async function runContract(
  contract: Exclude<TronContract, { type: 'TransferContract' }>,
  { evm, block, energyLimit }: Run,
): Promise<Omit<TronOutcome, 'energyFeeSun' | 'bandwidthFeeSun'>> {
  const caller = evmAddress(contract.owner)
  const isCall = contract.type === 'TriggerSmartContract'
  const result = await evm.runCall({
    block: { header: headerOf(block) },
    ...{ caller, origin: caller, gasPrice: SUN_PER_ENERGY, gasLimit: energyLimit },
    value: contract.callValueSun,
    data: hexToBytes(isCall ? contract.data : contract.code),
    ...(isCall && { to: evmAddress(contract.to) }),
  })
  const { execResult } = result
  const outcome = resultOf(result)
  const isSuccess = outcome === 'SUCCESS'
  return {
    result: outcome,
    returned: bytesToHex(execResult.returnValue),
    energyUsed: isSuccess || outcome === 'REVERT' ? execResult.executionGasUsed : energyLimit,
    logs: isSuccess ? (execResult.logs ?? []).map(readLog) : [],
    contractAddress: isSuccess && !isCall ? ((result.createdAddress?.toString() ?? null) as Address) : null,
  }
}

/** Returns the balance of an account in sun. */
export async function balanceOf(evm: TronEvm, address: Hex): Promise<bigint> {
  return (await evm.stateManager.getAccount(evmAddress(address)))?.balance ?? 0n
}

export async function hasCode(evm: TronEvm, address: Hex): Promise<boolean> {
  return (await evm.stateManager.getCode(evmAddress(address))).length > 0
}

async function pay(evm: TronEvm, { from, to, sun }: { from: Hex; to?: Hex; sun: bigint }): Promise<void> {
  if (sun === 0n) return
  for (const [address, change] of [
    [from, -sun] as const,
    ...(to === undefined ? [] : [[to, sun] as const]),
  ]) {
    const account = (await evm.stateManager.getAccount(evmAddress(address))) ?? new Account()
    account.balance += change
    await evm.journal.putAccount(evmAddress(address), account)
  }
}

function headerOf({ number, timestamp }: RunsIn) {
  return {
    ...{ number: BigInt(number), timestamp: BigInt(timestamp), difficulty: 0n, gasLimit: 100_000_000n },
    ...{ coinbase: evmAddress(`0x${'00'.repeat(20)}`), prevRandao: new Uint8Array(32), baseFeePerGas: 0n },
    ...{ slotNumber: 0n, getBlobGasPrice: () => undefined },
  }
}

function resultOf({ execResult: { exceptionError } }: EVMResult): TronOutcome['result'] {
  return exceptionError === undefined ? 'SUCCESS' : (RESULTS[exceptionError.error] ?? 'UNKNOWN')
}

/** TRON's names for the EVM's errors. */
const RESULTS: Readonly<Record<string, TronOutcome['result']>> = {
  revert: 'REVERT',
  'out of gas': 'OUT_OF_ENERGY',
  'invalid opcode': 'ILLEGAL_OPERATION',
}

function readLog([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): NodeLog {
  return {
    address: bytesToHex(address),
    topics: topics.map((topic) => bytesToHex(topic)),
    data: bytesToHex(data),
  }
}
