import { BaseError, erc20Abi, type PrivateKeyAccount } from 'viem'
import { deployFactory } from '../../shared/chain/contracts/deploy-factory.ts'
import { type ChainClient, type ChainUrls, createChainClient } from '../../shared/chain/nodes/client.ts'
import { sendSigned } from '../../shared/chain/nodes/send-signed.ts'
import { estimateGas } from '../../shared/chain/nodes/simulate.ts'
import { waitForReceipt } from '../../shared/chain/nodes/wait-for-receipt.ts'
import type { Address } from '../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../shared/domain/distribution-call.ts'
import type { RescueCall, Rescuer } from './rescuer.ts'

/** Maximum wait for a receipt: ten blocks of Ethereum, the slowest network, because a network may be congested. */
const RECEIPT_TIMEOUT_MS = 120_000

const NATIVE_DECIMALS = 18

/** Default gas limit of a distribution without its transfers. The creation of the split takes under 300,000 gas. */
const FIXED_GAS = 1_000_000n

/** Default gas limit per recipient: five times the 60,000 gas of a USDC transfer to a new holder. */
const GAS_PER_RECIPIENT = 300_000n

/** Creates the rescuer for an EVM chain. Sends no request yet. */
export function createEvmRescuer(place: ChainUrls, account: PrivateKeyAccount): Rescuer {
  const client = createChainClient(place)
  return {
    account: account.address.toLowerCase() as Address,
    balanceOf: ({ token, account: holder }) =>
      token === NATIVE_COIN
        ? client.getBalance({ address: holder })
        : client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [holder] }),
    decimalsOf: async (token) =>
      token === NATIVE_COIN
        ? NATIVE_DECIMALS
        : client.readContract({ address: token, abi: erc20Abi, functionName: 'decimals' }),
    deployFactory: () => deployFactory(client, account),
    send: async (call) => {
      // Throws if the call would revert.
      const gas = await quoteGas(client, account, call)
      const fees = await client.estimateFeesPerGas()
      const txHash = await sendSigned(client, account, { to: call.to, data: call.data, gas, fees })
      const { status } = await waitForReceipt(client, txHash, { timeoutMs: RECEIPT_TIMEOUT_MS })
      return { txHash, isSuccess: status === 'success' }
    },
  }
}

/**
 * Returns the gas limit of a distribution: the estimate plus a quarter. Has a maximum, because a token that is not
 * configured may be any contract, whose code could use the gas of a whole block.
 *
 * @throws {BaseError} if the call would revert or needs more gas than the maximum, or if no node responds
 */
async function quoteGas(
  client: ChainClient,
  account: PrivateKeyAccount,
  { to, data, recipients, maxGas }: RescueCall,
): Promise<bigint> {
  const gas = await estimateGas(client, { to, data, account: account.address.toLowerCase() as Address })
  const limit = maxGas ?? FIXED_GAS + BigInt(recipients) * GAS_PER_RECIPIENT
  if (gas <= limit) return gas
  throw new BaseError(`it requires ${gas} gas, above the limit of ${limit}: raise the limit with --max-gas`)
}
