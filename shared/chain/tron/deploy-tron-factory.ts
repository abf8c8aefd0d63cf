import factoryArtifact from '../../../contracts/artifacts/TronPaymentSplitFactory.json' with { type: 'json' }
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { tronDeployedAddress } from '../../domain/families/tron/contract-address.ts'
import { encodeTronCreation } from '../../domain/families/tron/raw-transaction.ts'
import { askTron } from './ask-tron.ts'
import { readEnergyPrice } from './read-tron.ts'
import { sendTron, type TronSigner } from './send-tron.ts'
import type { TronNode } from './tron-node.ts'

/** Twice what it takes on the local TRON; what is not used is not paid. */
const ENERGY_LIMIT = 6_000_000n

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
  signer: TronSigner,
): Promise<{ readonly factory: Address; readonly txHash: Hex }> {
  const price = await askTron(nodes, readEnergyPrice)
  const { txHash, owner, isSuccess } = await sendTron(nodes, {
    ...{ signer, feeLimitSun: ENERGY_LIMIT * price },
    encode: (frame) =>
      encodeTronCreation({
        ...frame,
        name: 'TronPaymentSplitFactory',
        code: factoryArtifact.bytecode as Hex,
      }),
  })
  if (!isSuccess)
    throw new AppError('rpc_unavailable', `deploying the factory failed in ${txHash.slice(2)}`, {
      retryable: false,
    })
  return { factory: tronDeployedAddress({ txId: txHash, owner }), txHash }
}
