#include "tools/driver_rig/runner/vulkan_device.h"

#include <dlfcn.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace driver_rig {
namespace {

constexpr uint32_t kVersion = VK_API_VERSION_1_3;
constexpr size_t kMostMessages = 100;  // the maximum number of messages kept between two calls of TakeMessages

VkBool32 VKAPI_PTR OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                             const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  auto* messages = static_cast<std::vector<std::string>*>(user);
  if (data->pMessage != nullptr && messages->size() < kMostMessages) messages->emplace_back(data->pMessage);
  return VK_FALSE;
}

// The feature structures that the driver fills in and that the device is created with. Structures of extensions are
// chained only if the driver supports the extension.
class Features {
 public:
  explicit Features(const std::set<std::string>& extensions) {
    Chain(vulkan_1_1_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    Chain(vulkan_1_2_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    Chain(vulkan_1_3_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    const auto chain_if = [&](auto& structure, VkStructureType type, const char* extension) {
      if (extensions.contains(extension)) Chain(structure, type);
    };
    chain_if(executables_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
             VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    chain_if(libraries_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
             VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME);
    chain_if(clock_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
    chain_if(atomic_float_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
             VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    chain_if(atomic_float_2_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
             VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
    chain_if(atomic_image_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
             VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME);
    chain_if(workgroup_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
             VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME);
    chain_if(barycentric_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_BARYCENTRIC_FEATURES_KHR,
             VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME);
    chain_if(interlock_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT,
             VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME);
  }

  VkPhysicalDeviceFeatures2& first() { return first_; }

  // Disables bounds checks, which cost instructions and which few applications request.
  void LeaveOffRobustness() {
    first_.features.robustBufferAccess = VK_FALSE;
    vulkan_1_3_.robustImageAccess = VK_FALSE;
  }

 private:
  template <typename Structure>
  void Chain(Structure& structure, VkStructureType type) {
    structure = {};
    structure.sType = type;
    structure.pNext = std::exchange(first_.pNext, &structure);
  }

  VkPhysicalDeviceFeatures2 first_ = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, nullptr, {}};
  VkPhysicalDeviceVulkan11Features vulkan_1_1_;
  VkPhysicalDeviceVulkan12Features vulkan_1_2_;
  VkPhysicalDeviceVulkan13Features vulkan_1_3_;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables_;
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries_;
  VkPhysicalDeviceShaderClockFeaturesKHR clock_;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float_;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float_2_;
  VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT atomic_image_;
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroup_;
  VkPhysicalDeviceFragmentShaderBarycentricFeaturesKHR barycentric_;
  VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT interlock_;
};

}  // namespace

std::string NameOf(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_UNKNOWN:
      return "VK_ERROR_UNKNOWN";
    default:  // Vulkan has about fifty codes; the cases above are those that drivers return
      return "VkResult " + std::to_string(result);
  }
}

std::string VulkanDevice::Open(const std::string& library) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return std::string("cannot load the driver: ") + dlerror();
  // Drivers with the newer loader interface require the caller to negotiate a version first.
  using Negotiate = VkResult (*)(uint32_t*);
  const auto negotiate = reinterpret_cast<Negotiate>(dlsym(opened, "vk_icdNegotiateLoaderICDInterfaceVersion"));
  uint32_t version = 5;
  if (negotiate != nullptr) negotiate(&version);
  get_instance_proc_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(opened, "vk_icdGetInstanceProcAddr"));
  if (get_instance_proc_ == nullptr) return library + " is not a Vulkan driver (no vk_icdGetInstanceProcAddr)";
  const std::string error = OpenInstance();
  return error.empty() ? OpenDevice() : error;
}

std::string VulkanDevice::OpenInstance() {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = kVersion;
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  const VkResult result = FindOfInstance<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance_);
  if (result != VK_SUCCESS) return "vkCreateInstance: " + NameOf(result);
  get_device_proc_ = FindOfInstance<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
  VkDebugUtilsMessengerCreateInfoEXT messenger = {};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = OnMessage;
  messenger.pUserData = &messages_;
  VkDebugUtilsMessengerEXT made = VK_NULL_HANDLE;
  FindOfInstance<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(instance_, &messenger, nullptr,
                                                                                       &made);
  return "";
}

std::string VulkanDevice::OpenDevice() {
  uint32_t count = 1;
  const VkResult found =
      FindOfInstance<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance_, &count, &physical_);
  if (found < 0 || count == 0) {
    std::string words;
    for (const std::string& message : TakeMessages()) words += "; " + message;
    return "the driver finds no device (" + (found < 0 ? NameOf(found) : "none") +
           "); set the driver's environment or LD_PRELOAD to a drm-shim" + words;
  }
  FindOfInstance<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(physical_, &properties_);
  if (properties_.apiVersion < kVersion) {
    return std::string(properties_.deviceName) + " does not support Vulkan 1.3, which the runner requires";
  }
  const auto list = FindOfInstance<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
  uint32_t size = 0;
  list(physical_, nullptr, &size, nullptr);
  std::vector<VkExtensionProperties> extensions(size);
  list(physical_, nullptr, &size, extensions.data());
  std::vector<const char*> names;
  for (const VkExtensionProperties& extension : extensions) {
    extensions_.insert(extension.extensionName);
    names.push_back(extension.extensionName);
  }
  if (!Has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) {
    return std::string(properties_.deviceName) +
           " does not support VK_KHR_pipeline_executable_properties, which reports the numbers";
  }
  Features features(extensions_);
  FindOfInstance<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(physical_, &features.first());
  features.LeaveOffRobustness();
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.first();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(names.size());
  info.ppEnabledExtensionNames = names.data();
  const VkResult result = FindOfInstance<PFN_vkCreateDevice>("vkCreateDevice")(physical_, &info, nullptr, &device_);
  return result == VK_SUCCESS ? "" : "vkCreateDevice: " + NameOf(result);
}

std::vector<std::string> VulkanDevice::TakeMessages() { return std::exchange(messages_, {}); }

}  // namespace driver_rig
