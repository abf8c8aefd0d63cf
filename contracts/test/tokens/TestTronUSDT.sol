// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Behaves like Tether's USDT on TRON: `transfer` moves the money and returns **false**, a
/// blacklisted address cannot send but can receive, and the owner may set a fee on transfers. Here any account may
/// blacklist, mint and set the fee.
/// @dev The first block of a local TRON contains this code at USDT's address. It must therefore have no constructor
/// and no immutables.
contract TestTronUSDT {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;

    /// @notice The recipient of the fee.
    address public constant owner = 0x00000000000000000000000000000000000Feeee;

    uint256 public totalSupply;
    uint256 public basisPointsRate;
    uint256 public maximumFee;
    mapping(address account => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public isBlackListed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

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

    /// @notice Sets the fee, like TetherToken: less than 20 basis points and less than 50 tokens.
    function setParams(uint256 newBasisPoints, uint256 newMaxFee) external {
        require(newBasisPoints < 20);
        require(newMaxFee < 50);
        basisPointsRate = newBasisPoints;
        maximumFee = newMaxFee * 10 ** decimals;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return false;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        require(!isBlackListed[from]);
        uint256 fee = amount * basisPointsRate / 10_000;
        if (fee > maximumFee) fee = maximumFee;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - fee;
        if (fee > 0) {
            balanceOf[owner] += fee;
            emit Transfer(from, owner, fee);
        }
        emit Transfer(from, to, amount - fee);
    }
}
