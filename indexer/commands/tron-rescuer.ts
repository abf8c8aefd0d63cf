import { BaseError, encodeFunctionData, erc20Abi, type PrivateKeyAccount } from 'viem'
import { CREATE_AND_DISTRIBUTE } from '../../shared/chain/abi/create-and-distribute.ts'
import type { ChainUrls } from '../../shared/chain/nodes/client.ts'
import { queryTron } from '../../shared/chain/tron/query-tron.ts'
import { readEnergyPrice, readTronFunds } from '../../shared/chain/tron/read-tron.ts'
import { readTronUint } from '../../shared/chain/tron/read-tron-uint.ts'
import { sendTron } from '../../shared/chain/tron/send-tron.ts'
import { simulateTron } from '../../shared/chain/tron/simulate-tron.ts'
import { createTronNodes } from '../../shared/chain/tron/tron-node.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { getDistributionFeeLimitSun } from '../../shared/domain/chain-families/tron/distribution-fee-limit.ts'
import { encodeTronCall } from '../../shared/domain/chain-families/tron/raw-transaction.ts'
import { NATIVE_COIN } from '../../shared/domain/distribution-call.ts'
import type { RescueCall, Rescuer } from './rescuer.ts'

/** The smallest unit of TRX is the sun, 10^-6 TRX. */
const NATIVE_DECIMALS = 6

/** Creates the rescuer for TRON. Sends no request yet. */
export function createTronRescuer(place: ChainUrls, signer: PrivateKeyAccount): Rescuer {
  const nodes = createTronNodes(place)
  const account = signer.address.toLowerCase() as Address

  return {
    account,
    balanceOf: async ({ token, account: holder }) => {
      if (token === NATIVE_COIN)
        return (await queryTron(nodes, (node) => readTronFunds(node, holder))).balanceSun
      const balanceOf = { abi: erc20Abi, functionName: 'balanceOf', args: [holder] } as const
      // `null` if the token does not exist on this chain.
      return (await read(token, encodeFunctionData(balanceOf))) ?? 0n
    },
    decimalsOf: async (token) =>
      token === NATIVE_COIN
        ? NATIVE_DECIMALS
        : Number(
            (await read(token, encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }))) ??
              Number.NaN,
          ),
    deployFactory: null,
    send: async (call) => {
      const feeLimitSun = await quote(call)
      return sendTron(nodes, {
        ...{ signer, feeLimitSun },
        encode: (frame) => encodeTronCall({ ...frame, to: call.to, data: call.data, valueSun: 0n }),
      })
    },
  }

  function read(token: Address, data: Hex): Promise<bigint | null> {
    return queryTron(nodes, (node) => readTronUint(node, { to: token, data, account }))
  }

  /**
   * Returns the fee limit of a call, in sun. Throws if the call costs more than the maximum for a distribution, because
   * a call that ends with the INVALID opcode burns its whole limit.
   */
  async function quote({ to, data, recipients }: RescueCall): Promise<bigint> {
    const [{ gas: energy }, sunPerEnergy] = await queryTron(nodes, (node) =>
      Promise.all([simulateTron(node, { to, data, account }, CREATE_AND_DISTRIBUTE), readEnergyPrice(node)]),
    )
    const most = getDistributionFeeLimitSun({ recipients })
    if (energy * sunPerEnergy <= most) return energy * sunPerEnergy
    throw new BaseError(`it requires ${energy} energy at ${sunPerEnergy} sun, above the limit of ${most} sun`)
  }
}
