import { TronWeb, utils } from 'tronweb'

/** The terms to which a charge's address commits, as a merchant receives them. Addresses have the form `T…`. */
export type SplitTerms = {
  readonly factory: string
  readonly recipients: readonly string[]
  readonly allocations: readonly number[]
  readonly totalAllocation: number
  readonly distributionIncentive: number
  readonly chargeId: string
}

/** A wallet and address calculation that use only unmodified tronweb, and no code of this repository. */
export type IndependentClient = ReturnType<typeof createStranger>

/** Maximum fee for one transaction, in sun. */
const FEE_LIMIT = 100_000_000

const VIEW = { stateMutability: 'view' }
const BALANCE_ABI = [
  {
    ...{ type: 'function', name: 'balanceOf', ...VIEW },
    inputs: [{ type: 'address', name: 'account' }],
    outputs: [{ type: 'uint256', name: '' }],
  },
]

/** A parameter of a call, in tronweb's form. */
type Argument = { readonly type: 'address' | 'uint256' | 'bool'; readonly value: string | boolean }

/** Creates a client that signs with this private key and uses this node. */
export function createStranger({ httpUrl, privateKey }: { httpUrl: string; privateKey: string }) {
  const tronWeb = new TronWeb({ fullHost: httpUrl, privateKey: privateKey.replace(/^0x/, '') })
  const implementationOf = async (factory: string): Promise<string> => {
    const output = [{ type: 'address', name: '' }]
    const abi = [{ type: 'function', name: 'implementation', inputs: [], outputs: output, ...VIEW }]
    const contract = tronWeb.contract(abi as never, factory)
    return tronWeb.address.toHex(String(await contract['implementation']?.().call()))
  }
  /** Signs a call that the node has built, and sends it. The node responds once the transaction is pending. */
  const call = async (contract: string, signature: string, args: readonly Argument[]): Promise<string> => {
    const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
      ...([contract, signature, { feeLimit: FEE_LIMIT }] as const),
      [...args],
    )
    const answer = await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
    if (!answer.result)
      throw new Error(`transaction ${transaction.txID} was rejected: ${JSON.stringify(answer)}`)
    return answer.txid
  }
  return {
    ...{ tronWeb, call },
    pay: (payment: { token: string; to: string; units: bigint }): Promise<string> =>
      call(payment.token, 'transfer(address,uint256)', [
        { type: 'address', value: payment.to },
        { type: 'uint256', value: payment.units.toString() },
      ]),
    /** Reads a token balance, in atomic units. */
    balanceOf: async (token: string, account: string): Promise<bigint> => {
      const contract = tronWeb.contract(BALANCE_ABI as never, token)
      return BigInt(await contract['balanceOf']?.(account).call())
    },
    /** Reads a TRX balance as of the last solid block, in sun. */
    trxOf: (account: string): Promise<number> => tronWeb.trx.getBalance(account),
    /**
     * Computes the split address of a charge with these terms, according to the table in docs/contracts.md and with
     * tronweb's hash functions.
     */
    splitAddress: async (terms: SplitTerms): Promise<string> => {
      const implementation = await implementationOf(terms.factory)
      return utils.address.getCreate2Address({
        from: terms.factory,
        salt: utils.ethersUtils.id(terms.chargeId),
        initCode: initCodeOf(implementation, hashOf(terms)),
      })
    },
  }
}

function hashOf(terms: SplitTerms): string {
  const encoded = utils.ethersUtils.AbiCoder.defaultAbiCoder().encode(
    ['tuple(address[],uint256[],uint256,uint16)'],
    [
      [
        terms.recipients.map((address) => TronWeb.address.toHex(address).replace(/^41/, '0x')),
        terms.allocations,
        terms.totalAllocation,
        terms.distributionIncentive,
      ],
    ],
  )
  return utils.ethersUtils.keccak256(encoded)
}

/**
 * Returns the init code of a split's proxy.
 *
 * @param implementation - `41` followed by 40 hex digits
 */
function initCodeOf(implementation: string, hash: string): string {
  const proxy = `363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91603157fd5bf3`
  return `0x6100533d81600a3d39f336600557005b${proxy}${hash.slice(2)}`
}
