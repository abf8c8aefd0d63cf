import type { EVM, EVMResult } from '@ethereumjs/evm'
import { Account, bytesToHex, Address as EvmAddress, hexToBytes } from '@ethereumjs/util'
import type { Address } from 'viem'

import { COINBASE, type NodeLog, type Outcome, type SignedTransaction } from './block.ts'
import { floorGas, intrinsicGas } from './intrinsic-gas.ts'
import type { Message } from './message.ts'

/** The block context of an execution. */
export type RunsIn = {
  readonly number: number
  readonly timestamp: number
  readonly baseFeeWei: bigint
  readonly gasLimit: bigint
}

/**
 * The maximum refund is the used gas divided by this number.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3529
 */
const REFUND_QUOTIENT = 5n

/** Runs a signed transaction, applies its effects and fee to the EVM's state, and returns its outcome. */
export async function runTransaction(
  evm: EVM,
  { transaction, block }: { readonly transaction: SignedTransaction; readonly block: RunsIn },
): Promise<Outcome> {
  const gasPriceWei = effectivePrice(transaction, block.baseFeeWei)
  await addToBalance(evm, { address: transaction.from, wei: -transaction.gasLimit * gasPriceWei })
  const result = await runMessage(evm, { message: transaction, block, gasPriceWei })
  const gasUsed = chargedGas(transaction, result)
  await addToBalance(evm, { address: transaction.from, wei: (transaction.gasLimit - gasUsed) * gasPriceWei })
  await addToBalance(evm, { address: COINBASE, wei: gasUsed * (gasPriceWei - block.baseFeeWei) })
  await endTransaction(evm, result)
  const isSuccess = result.execResult.exceptionError === undefined
  return {
    isSuccess,
    gasUsed,
    gasPriceWei,
    logs: isSuccess ? (result.execResult.logs ?? []).map(readLog) : [],
    contractAddress: transaction.to === null && isSuccess ? hexOf(result.createdAddress) : null,
  }
}

/** Runs a message without charging a fee. Deducts the intrinsic gas from the gas limit first. */
export async function runMessage(
  evm: EVM,
  {
    message,
    block,
    gasPriceWei,
  }: { readonly message: Message; readonly block: RunsIn; readonly gasPriceWei: bigint },
): Promise<EVMResult> {
  warm(evm, message)
  const caller = evmAddress(message.from)
  return evm.runCall({
    block: {
      header: {
        number: BigInt(block.number),
        coinbase: evmAddress(COINBASE),
        timestamp: BigInt(block.timestamp),
        difficulty: 0n,
        prevRandao: new Uint8Array(32),
        gasLimit: block.gasLimit,
        baseFeePerGas: block.baseFeeWei,
        slotNumber: 0n,
        getBlobGasPrice: () => undefined,
      },
    },
    caller,
    origin: caller,
    gasPrice: gasPriceWei,
    gasLimit: message.gasLimit - intrinsicGas(message),
    value: message.valueWei,
    data: hexToBytes(message.data),
    ...(message.to !== null && { to: evmAddress(message.to) }),
  })
}

/** Returns the gas price in wei: the base fee plus as much of the tip as the maximum fee allows. */
function effectivePrice({ maxFeePerGasWei, maxTipPerGasWei }: SignedTransaction, baseFeeWei: bigint): bigint {
  const room = maxFeePerGasWei - baseFeeWei
  return baseFeeWei + (maxTipPerGasWei < room ? maxTipPerGasWei : room)
}

export function evmAddress(address: Address): EvmAddress {
  return new EvmAddress(hexToBytes(address))
}

/**
 * Marks the sender, the called account, the coinbase, the precompiles and the access list as warm (EIP-2929, EIP-3651,
 * EIP-2930).
 */
function warm(evm: EVM, { from, to, accessList }: Message): void {
  for (const address of [from, COINBASE, ...(to === null ? [] : [to])])
    evm.journal.addAlwaysWarmAddress(address.toLowerCase())
  for (const address of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(address)
  for (const { address, storageKeys } of accessList ?? []) {
    evm.journal.addAlwaysWarmAddress(address.toLowerCase())
    for (const key of storageKeys) evm.journal.addAlwaysWarmSlot(address.toLowerCase(), key)
  }
}

function chargedGas(transaction: SignedTransaction, { execResult }: EVMResult): bigint {
  const used = execResult.executionGasUsed + intrinsicGas(transaction)
  const refund = execResult.gasRefund ?? 0n
  const left = used - (refund < used / REFUND_QUOTIENT ? refund : used / REFUND_QUOTIENT)
  const floor = floorGas(transaction)
  return left > floor ? left : floor
}

async function addToBalance(evm: EVM, { address, wei }: { address: Address; wei: bigint }): Promise<void> {
  if (wei === 0n) return
  const account = (await evm.stateManager.getAccount(evmAddress(address))) ?? new Account()
  account.balance += wei
  await evm.journal.putAccount(evmAddress(address), account)
}

/**
 * Deletes the contracts that the transaction both created and destroyed (EIP-6780). Clears the warm addresses and the
 * original storage values.
 */
async function endTransaction(evm: EVM, { execResult }: EVMResult): Promise<void> {
  for (const address of execResult.selfdestruct?.keys() ?? [])
    if (execResult.createdAddresses?.has(address) === true)
      await evm.journal.deleteAccount(new EvmAddress(hexToBytes(address)))
  await evm.journal.cleanup()
  evm.stateManager.originalStorageCache.clear()
}

function readLog([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): NodeLog {
  return {
    address: bytesToHex(address),
    topics: topics.map((topic) => bytesToHex(topic)),
    data: bytesToHex(data),
  }
}

function hexOf(address: EvmAddress | undefined): Address | null {
  return address === undefined ? null : (address.toString() as Address)
}
