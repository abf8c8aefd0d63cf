import { concatHex, type Hex, type LocalAccount } from 'viem'

import factoryArtifact from '../../../contracts/artifacts/PaymentSplitFactory.json' with { type: 'json' }
import constants from '../../../contracts/artifacts/split-constants.json' with { type: 'json' }
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { SPLIT_FACTORY } from '../../domain/split-address.ts'
import type { ChainClient } from '../nodes/client.ts'
import { sendSigned } from '../nodes/send-signed.ts'
import { estimateGas } from '../nodes/simulate.ts'
import { waitForReceipt } from '../nodes/wait-for-receipt.ts'
import { createMissingProxyError, DEPLOYMENT_PROXY } from './deployment-proxy.ts'

/** Maximum wait for the receipt: two blocks of the slowest network, with a margin for a congested network. */
const RECEIPT_TIMEOUT_MS = 120_000

/**
 * Deploys the factory, and with it the code of every split. The factory's address is the same on every EVM network.
 *
 * Sends one transaction from `account` to the deterministic deployment proxy and waits until it is mined. Sends nothing
 * if the address already has code; `checkContracts` verifies that code.
 *
 * @returns the transaction's hash, or `null` if no transaction was needed
 * @throws {AppError} `rpc_unavailable` if our transaction reverted, or if the network has no deployment proxy; the
 * message then contains the transaction that creates the proxy
 * @throws {BaseError} from viem if no node responds, no node accepts the transaction, or the transaction is not mined
 * within two minutes
 */
export async function deployFactory(client: ChainClient, account: LocalAccount): Promise<Hex | null> {
  if ((await client.getCode({ address: SPLIT_FACTORY })) !== undefined) return null
  if ((await client.getCode({ address: DEPLOYMENT_PROXY })) === undefined)
    throw createMissingProxyError(client.chain.name)
  const data = concatHex([constants.factorySalt as Hex, factoryArtifact.bytecode as Hex])
  const [gas, fees] = await Promise.all([
    estimateGas(client, { to: DEPLOYMENT_PROXY, data, account: account.address.toLowerCase() as Address }),
    client.estimateFeesPerGas(),
  ])
  const hash = await sendSigned(client, account, { to: DEPLOYMENT_PROXY, data, gas, fees })
  const { status } = await waitForReceipt(client, hash, { timeoutMs: RECEIPT_TIMEOUT_MS })
  if (status !== 'success')
    throw new AppError('rpc_unavailable', `the deployment of the factory reverted in ${hash}`)
  return hash
}
