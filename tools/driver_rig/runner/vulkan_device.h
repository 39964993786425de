// Opens a Vulkan device without a window or a GPU. Loads one driver's library directly, without the Vulkan loader,
// enables every feature that the device supports, and collects the driver's messages.
#pragma once

#include <vulkan/vulkan.h>

#include <set>
#include <string>
#include <vector>

namespace driver_rig {

class VulkanDevice {
 public:
  // Loads the library and opens its first device. Returns "" or the error.
  std::string Open(const std::string& library);

  VkDevice device() const { return device_; }
  const VkPhysicalDeviceProperties& properties() const { return properties_; }
  bool Has(const std::string& extension) const { return extensions_.contains(extension); }

  // Returns a device function of Vulkan 1.3 or of an extension that the device supports.
  template <typename Function>
  Function Find(const char* name) const {
    return reinterpret_cast<Function>(get_device_proc_(device_, name));
  }

  // Returns the driver's warnings and errors since the last call.
  std::vector<std::string> TakeMessages();

 private:
  std::string OpenInstance();
  std::string OpenDevice();

  template <typename Function>
  Function FindOfInstance(const char* name) const {
    return reinterpret_cast<Function>(get_instance_proc_(instance_, name));
  }

  PFN_vkGetInstanceProcAddr get_instance_proc_ = nullptr;
  PFN_vkGetDeviceProcAddr get_device_proc_ = nullptr;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_ = {};
  std::set<std::string> extensions_;
  std::vector<std::string> messages_;
};

// Returns "VK_ERROR_OUT_OF_HOST_MEMORY", for example, or the number.
std::string NameOf(VkResult result);

}  // namespace driver_rig
