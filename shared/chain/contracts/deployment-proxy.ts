import constants from '../../../contracts/artifacts/split-constants.json' with { type: 'json' }
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'

/** The deterministic deployment proxy, which has the same address on every EVM network. */
export const DEPLOYMENT_PROXY = constants.deterministicDeploymentProxy.toLowerCase() as Address

/**
 * The transaction that creates the proxy, and its sender. The transaction is valid on every network that accepts
 * transactions without a chain id. No one has the sender's key, because the signature is an arbitrary number, and the
 * sender's address was recovered from it. `coins` pays for 100,000 gas at 100 gwei.
 *
 * @see https://github.com/Arachnid/deterministic-deployment-proxy
 */
export const PROXY_CREATION: { readonly sender: string; readonly coins: string; readonly transaction: Hex } =
  {
    sender: '0x3fAB184622Dc19b6109349B94811493BF2a45362',
    coins: '0.01',
    transaction:
      '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222',
  }

/** Creates the error for a network without the proxy, with instructions for creating the proxy. */
export function createMissingProxyError(network: string): AppError {
  const { sender, coins, transaction } = PROXY_CREATION
  return new AppError(
    'rpc_unavailable',
    `${network} has no deterministic deployment proxy at ${constants.deterministicDeploymentProxy}. Anyone can create it: ` +
      `send ${coins} of the network's coin to ${sender}, broadcast this transaction, which was signed for every network, ` +
      `and repeat the deployment (docs/contracts.md): cast publish --rpc-url URL ${transaction}`,
    { retryable: false },
  )
}
