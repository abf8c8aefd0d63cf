import factoryArtifact from '../../../contracts/artifacts/TronPaymentSplitFactory.json' with { type: 'json' }
import { type Address, type Hex, parseEvmAddress } from '../../domain/address.ts'
import { AppError, invariant } from '../../domain/errors.ts'
import { tronDeployedAddress } from '../../domain/families/tron/contract-address.ts'
import { encodeTronCreation } from '../../domain/families/tron/raw-transaction.ts'
import { askTron } from './ask-tron.ts'
import { readEnergyPrice } from './read-tron.ts'
import {
  type Sending,
  type Sent,
  type SignedTron,
  sendTron,
  type TronSigner,
  waitForBlock,
} from './send-tron.ts'
import type { TronNode } from './tron-node.ts'

/** Twice what it takes on the local TRON; what is not used is not paid. */
const ENERGY_LIMIT = 6_000_000n

/** Where our factory is to stand, and what makes it. */
export type TronFactory = { readonly factory: Address; readonly txHash: Hex }

/** How it is deployed: by a transaction of its own, or by an earlier one of the same signer. */
export type TronDeployment = {
  readonly signer: TronSigner
  /** Of one that was signed before, and of which nobody has heard since. */
  readonly earlier: Hex | null
  /** Told before anybody is sent the transaction: its id is all that finds the factory again. */
  readonly onSigned: (factory: TronFactory & Pick<SignedTron, 'expiresAt'>) => void
}

/**
 * Deploys our factory on TRON, and with it the code of every split, and waits until a block has it.
 *
 * Its address follows from the transaction, so that a second time makes a second factory: ask `checkContracts` first.
 *
 * @throws {AppError} `rpc_unavailable` if the transaction failed
 * @throws {TronNodeError} if no node takes it, or no block has it in time
 */
export async function deployTronFactory(
  nodes: readonly TronNode[],
  { signer, earlier, onSigned }: TronDeployment,
): Promise<TronFactory> {
  const owner = parseEvmAddress(signer.address.toLowerCase())
  invariant(owner !== null, `${signer.address} is no address`)
  const placeOf = (txHash: Hex): TronFactory => ({
    txHash,
    factory: tronDeployedAddress({ txId: txHash, owner }),
  })
  const { txHash, isSuccess } =
    earlier === null
      ? await send(nodes, {
          signer,
          onSigned: (signed) => onSigned({ ...signed, ...placeOf(signed.txHash) }),
        })
      : { ...(await waitForBlock(nodes, earlier)), txHash: earlier }
  if (!isSuccess)
    throw new AppError('rpc_unavailable', `deploying the factory failed in ${txHash.slice(2)}`, {
      retryable: false,
    })
  return placeOf(txHash)
}

async function send(
  nodes: readonly TronNode[],
  signing: Pick<Sending, 'signer' | 'onSigned'>,
): Promise<Pick<Sent, 'txHash' | 'isSuccess'>> {
  const price = await askTron(nodes, readEnergyPrice)
  return sendTron(nodes, {
    ...{ ...signing, feeLimitSun: ENERGY_LIMIT * price },
    encode: (frame) =>
      encodeTronCreation({
        ...frame,
        name: 'TronPaymentSplitFactory',
        code: factoryArtifact.bytecode as Hex,
      }),
  })
}
