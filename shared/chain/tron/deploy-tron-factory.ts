import factoryArtifact from '../../../contracts/artifacts/TronPaymentSplitFactory.json' with { type: 'json' }
import { type Address, type Hex, parseEvmAddress } from '../../domain/address.ts'
import { tronDeployedAddress } from '../../domain/chain-families/tron/contract-address.ts'
import { encodeTronCreation } from '../../domain/chain-families/tron/raw-transaction.ts'
import { AppError, invariant } from '../../domain/errors.ts'
import { queryTron } from './query-tron.ts'
import { readEnergyPrice } from './read-tron.ts'
import {
  type SignedTron,
  sendTron,
  type TronSendRequest,
  type TronSendResult,
  type TronSigner,
  waitForBlock,
} from './send-tron.ts'
import type { TronNode } from './tron-node.ts'

/** Energy limit of the deployment: more than three times its use on the local test chain. Unused energy is not paid. */
const ENERGY_LIMIT = 6_000_000n

export type TronFactory = { readonly factory: Address; readonly txHash: Hex }

export type TronDeployment = {
  readonly signer: TronSigner
  /** Hash of a signed transaction whose outcome is unknown; `null` to send a new one. */
  readonly earlier: Hex | null
  /**
   * Called before the broadcast, so that the caller can store the transaction's id. After an interruption, the factory
   * can be found only by this id.
   */
  readonly onSigned: (factory: TronFactory & Pick<SignedTron, 'expiresAt'>) => void
}

/**
 * Deploys our factory on TRON, which in turn deploys the code that every split runs. Waits until a block contains the
 * transaction.
 *
 * The factory's address depends on the transaction, so a repeated call without `earlier` deploys a second factory.
 * Check first with `checkContracts` that the deployment has no factory.
 *
 * @throws {AppError} `rpc_unavailable` if the transaction failed
 * @throws {TronNodeError} if no node accepts the transaction, or no block contains it in time
 */
export async function deployTronFactory(
  nodes: readonly TronNode[],
  { signer, earlier, onSigned }: TronDeployment,
): Promise<TronFactory> {
  const owner = parseEvmAddress(signer.address.toLowerCase())
  invariant(owner !== null, `${signer.address} is not an address`)
  const toFactory = (txHash: Hex): TronFactory => ({
    txHash,
    factory: tronDeployedAddress({ txId: txHash, owner }),
  })
  const { txHash, isSuccess } =
    earlier === null
      ? await send(nodes, {
          signer,
          onSigned: (signed) => onSigned({ ...signed, ...toFactory(signed.txHash) }),
        })
      : { ...(await waitForBlock(nodes, earlier)), txHash: earlier }
  if (!isSuccess)
    throw new AppError('rpc_unavailable', `the deployment of the factory failed in ${txHash.slice(2)}`, {
      retryable: false,
    })
  return toFactory(txHash)
}

async function send(
  nodes: readonly TronNode[],
  signing: Pick<TronSendRequest, 'signer' | 'onSigned'>,
): Promise<Pick<TronSendResult, 'txHash' | 'isSuccess'>> {
  const price = await queryTron(nodes, readEnergyPrice)
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
