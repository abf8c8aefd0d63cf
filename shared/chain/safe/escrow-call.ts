import { concatHex, encodeFunctionData, numberToHex, size } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../domain/distribution-call.ts'
import { SAFE_CONTRACTS, safeInitializer } from '../../domain/escrow-address.ts'
import type { PaidEscrow } from '../../domain/escrow-order.ts'
import type { EscrowTransaction } from '../../domain/escrow-transaction.ts'
import { encodeTransfer } from '../../domain/transfer-call.ts'
import { multiSendAbi, safeAbi, safeProxyFactoryAbi } from '../abi/safe.ts'

type Call = { readonly to: Address; readonly data: Hex }

/** The releaser's signed transaction, with all values required to relay it. */
export type SignedEscrow = {
  readonly escrow: PaidEscrow
  readonly transaction: EscrowTransaction
  readonly signature: Hex
  readonly isDeployed: boolean
}

/** Returns the calls that execute the signed transaction. If the Safe does not exist, the first call creates it. */
export function buildExecutionCalls({
  escrow,
  transaction,
  signature,
  isDeployed,
}: SignedEscrow): readonly Call[] {
  const execution = { to: transaction.safeAddress, data: executionData(transaction, signature) }
  return isDeployed ? [execution] : [buildCreationCall(escrow), execution]
}

/**
 * Returns the call that pays the split's recipients from the released amount.
 *
 * The split's last recipient receives the incentive. This is the recipient of the service's fee, unless the fee's
 * allocation is zero (see `allocate`). Naming another account would cost one more transfer (7,000 to 24,000 gas,
 * measured).
 */
export function buildReleaseCall({ escrow }: SignedEscrow): Call {
  const { splitTerms: split, saltNonce: salt, tokenAddress: token } = escrow
  const distributor = split.recipients.at(-1) ?? ANY_DISTRIBUTOR
  return { to: split.factory, data: encodeDistribution({ split, salt, token, distributor }) }
}

/** Combines several calls into one, which reverts if any of them fails. */
export function buildMultiSendCall(calls: readonly Call[]): Call {
  const data = encodeFunctionData({
    abi: multiSendAbi,
    functionName: 'multiSend',
    args: [concatHex(calls.map(packCall))],
  })
  return { to: SAFE_CONTRACTS.multiSendCallOnly, data }
}

/** Returns the call that creates the Safe at its predicted address. Anyone may send it. A second call fails. */
export function buildCreationCall({ releaser, saltNonce }: Pick<PaidEscrow, 'releaser' | 'saltNonce'>): Call {
  const data = encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [SAFE_CONTRACTS.singleton, safeInitializer(releaser), BigInt(saltNonce)],
  })
  return { to: SAFE_CONTRACTS.proxyFactory, data }
}

/** Encodes the values of `escrowTypedData` in the order of the Safe's parameters. */
function executionData(transaction: EscrowTransaction, signature: Hex): Hex {
  return encodeFunctionData({
    abi: safeAbi,
    functionName: 'execTransaction',
    args: [
      transaction.tokenAddress,
      0n,
      encodeTransfer(transaction),
      0,
      0n,
      0n,
      0n,
      ANY_DISTRIBUTOR,
      ANY_DISTRIBUTOR,
      signature,
    ],
  })
}

/** Encodes a call for MultiSendCallOnly: operation 0 (a call), address, value, length, data. */
function packCall({ to, data }: Call): Hex {
  return concatHex(['0x00', to, numberToHex(0, { size: 32 }), numberToHex(size(data), { size: 32 }), data])
}
