import {
  type Address,
  concatHex,
  encodeAbiParameters,
  getContractAddress,
  getCreate2Address,
  type Hex,
  keccak256,
  parseAbiParameters,
  zeroHash,
} from 'viem'

/**
 * The deterministic deployment proxy, at the same address on every supported EVM network.
 *
 * @see https://github.com/Arachnid/deterministic-deployment-proxy
 */
const DETERMINISTIC_DEPLOYMENT_PROXY: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** The CREATE2 salt of the factory. Changing it changes the address of every charge. */
const FACTORY_SALT: Hex = zeroHash

/**
 * Example terms. This script, the forge tests and the service must compute the same address from these terms.
 */
const EXAMPLE_SPLIT = {
  recipients: ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'],
  allocations: ['990991', '9009'],
  totalAllocation: '1000000',
  distributionIncentive: 1000,
} as const

const EXAMPLE_SALT = keccak256('0xc0ffee')

/** Returns the addresses that follow from the factory's creation code, and the values from which they are computed. */
export function splitConstants(factoryCreationCode: Hex) {
  const factoryAddress = getCreate2Address({
    from: DETERMINISTIC_DEPLOYMENT_PROXY,
    salt: FACTORY_SALT,
    bytecode: factoryCreationCode,
  })
  // The factory's constructor deploys only the implementation, and a contract's nonce starts at 1 (EIP-161).
  const implementationAddress = getContractAddress({ from: factoryAddress, nonce: 1n })
  const cloneInitCodePrefix = cloneInitCodeWithoutHash(implementationAddress)
  const splitHash = hashSplit(EXAMPLE_SPLIT)
  const bytecode = concatHex([cloneInitCodePrefix, splitHash])
  return {
    deterministicDeploymentProxy: DETERMINISTIC_DEPLOYMENT_PROXY,
    factorySalt: FACTORY_SALT,
    factoryInitCodeHash: keccak256(factoryCreationCode),
    factoryAddress,
    implementationAddress,
    cloneInitCodePrefix,
    example: {
      split: EXAMPLE_SPLIT,
      salt: EXAMPLE_SALT,
      splitHash,
      address: getCreate2Address({ from: factoryAddress, salt: EXAMPLE_SALT, bytecode }),
    },
  }
}

/** Returns a split's creation code without its last 32 bytes, the terms' hash; see contracts/src/SplitProxy.sol. */
function cloneInitCodeWithoutHash(implementation: Address): Hex {
  // 0x0053 is the length of the deployed code: 51 bytes of proxy and 32 bytes of hash.
  return concatHex([
    '0x6100533d81600a3d39f336600557005b363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91603157fd5bf3',
  ]).toLowerCase() as Hex
}

function hashSplit(split: typeof EXAMPLE_SPLIT): Hex {
  const [parameter] = parseAbiParameters([
    '(address[] recipients, uint256[] allocations, uint256 totalAllocation, uint16 distributionIncentive)',
  ])
  const allocations = split.allocations.map(BigInt)
  const terms = { ...split, allocations, totalAllocation: BigInt(split.totalAllocation) }
  return keccak256(encodeAbiParameters([parameter], [terms]))
}
