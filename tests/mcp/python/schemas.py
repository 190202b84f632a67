"""Google's SDK for Gemini reads the tools of a gateway.

Reads the result of tools/list as JSON. Prints the names of the tools whose schema the SDK's converter keeps whole.
"""

import json
import sys

from google.genai import types
from google.genai._mcp_utils import mcp_to_gemini_tool
from mcp.types import Tool


def declaration(tool: Tool) -> types.FunctionDeclaration:
    """Returns the tool with its schema unchanged. Raises for a keyword that Gemini does not know."""
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters=types.Schema(**tool.input_schema)
    )


def is_whole(tool: Tool) -> bool:
    """Returns true if the SDK's own conversion loses nothing of the tool."""
    return mcp_to_gemini_tool(tool).function_declarations == [declaration(tool)]


tools = [Tool.model_validate(tool) for tool in json.load(sys.stdin)["tools"]]
print(json.dumps([tool.name for tool in tools if is_whole(tool)]))
