// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Behaves like Tether's USDT on ethereum: `transfer`, `transferFrom` and `approve` return nothing, a
/// blacklisted address cannot send but can receive, and the owner may set a fee on transfers. Here any account may
/// blacklist, pause, mint and set the fee.
/// @dev Not an `IERC20`, because that interface promises a returned bool.
contract TestUSDT {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint8 public immutable decimals;
    uint256 public totalSupply;
    bool public paused;
    uint256 public basisPointsRate;
    uint256 public maximumFee;
    address public owner = msg.sender;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public isBlackListed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function addBlackList(address account) external {
        isBlackListed[account] = true;
    }

    function removeBlackList(address account) external {
        isBlackListed[account] = false;
    }

    function pause() external {
        paused = true;
    }

    function unpause() external {
        paused = false;
    }

    /// @notice Sets the fee, like TetherToken: less than 20 basis points and less than 50 tokens.
    function setParams(uint256 newBasisPoints, uint256 newMaxFee) external {
        require(newBasisPoints < 20);
        require(newMaxFee < 50);
        basisPointsRate = newBasisPoints;
        maximumFee = newMaxFee * 10 ** decimals;
    }

    function approve(address spender, uint256 amount) external {
        // Like Tether, prevents the approval race: a nonzero allowance can only be changed to zero.
        require(amount == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private {
        require(!paused);
        require(!isBlackListed[from]);
        uint256 fee = amount * basisPointsRate / 10_000;
        if (fee > maximumFee) fee = maximumFee;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - fee;
        if (fee > 0) {
            balanceOf[owner] += fee;
            // TetherToken logs the fee's transfer first.
            emit Transfer(from, owner, fee);
        }
        emit Transfer(from, to, amount - fee);
    }
}
