import {
  type Abi,
  type Address,
  createWalletClient,
  custom,
  encodeDeployData,
  erc20Abi,
  getAddress,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { requireMined } from '../../devnet/require-mined.ts'
import { sentFor, type Way } from './way.ts'

type Call = {
  readonly address: Address
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

/** A payer with a wallet. Each method except `submit` resolves when its transaction is mined. */
export type Payer = {
  readonly address: Address
  /** Sends an amount, from which the token might deduct a fee. */
  readonly send: (way: Way, to: Address, units: bigint) => Promise<TransactionReceipt>
  /** Sends so much that this number of dollars arrives. */
  readonly pay: (way: Way, to: Address, dollars: string) => Promise<TransactionReceipt>
  readonly call: (call: Call) => Promise<TransactionReceipt>
  readonly deploy: (
    abi: Abi,
    code: { readonly bytecode: Hex; readonly args: readonly unknown[] },
  ) => Promise<Address>
  /** Broadcasts a payment without waiting until it is mined. */
  readonly submit: (way: Way, to: Address, dollars: string) => Promise<Hex>
}

export function createPayer(client: ChainClient, account: PrivateKeyAccount): Payer {
  const wallet = createWalletClient({ account, chain: client.chain, transport: custom(client) })
  const mined = async (hash: Promise<Hex>) => requireMined(client, await hash)
  const submitUnits = (way: Way, to: Address, units: bigint): Promise<Hex> =>
    way.isCoin
      ? wallet.sendTransaction({ to, value: units })
      : wallet.writeContract({
          ...{ address: way.token, abi: erc20Abi },
          ...{ functionName: 'transfer', args: [to, units] },
        })
  return {
    address: account.address,
    send: (way, to, units) => mined(submitUnits(way, to, units)),
    pay: (way, to, dollars) => mined(submitUnits(way, to, sentFor(way, dollars))),
    submit: (way, to, dollars) => submitUnits(way, to, sentFor(way, dollars)),
    call: (call) => mined(wallet.writeContract(call)),
    deploy: async (abi, { bytecode, args }) => {
      const data = encodeDeployData({ abi, bytecode, args })
      const { contractAddress } = await mined(wallet.sendTransaction({ data }))
      if (!contractAddress) throw new Error('no contract was created')
      return getAddress(contractAddress)
    },
  }
}
